import { type Html, html } from '../html.ts'
import { type Layout, layout } from '../layout.ts'
import { codeBlock } from './codeBlock.ts'
import { below, type GuidePage, groups, guidePages, linkAddress, pageAddress, type SourcePage } from './pages.ts'
import { type Heading, renderMarkdown } from './renderMarkdown.ts'

/** A page with a guide, from the text of its file. */
export function guidePage(page: GuidePage, text: string, version: string): string {
  const { content, headings } = renderMarkdown(text, link => linkAddress(page, link))
  const title = headings[0]?.title ?? page.task
  const group = groups.find(({ pages }) => pages.includes(page))
  return layout({
    ...frame(page, version),
    title: page.name ? `${title} · Natter` : `${title}: documentation`,
    description: page.task,
    content: html`<main id="main" class="guide" tabindex="-1">
<div class="prose">
${page.name && group && html`<p class="group">${group.title}</p>`}
${content}
${neighbours(page)}
</div>
${onThisPage(headings)}
</main>`,
  })
}

/** A page with files as they are, each with its text. */
export function sourcePage(page: SourcePage, files: { path: string; text: string }[], version: string): string {
  return layout({
    ...frame(page, version),
    title: `${page.path} · Natter`,
    description: `A file that comes with Natter: ${page.path}`,
    content: html`<main id="main" class="guide" tabindex="-1"><div class="prose">
<h1><code>${page.path}</code></h1>
${files.map(
  ({ path, text }) =>
    html`${path !== page.path && html`<h2><code>${path}</code></h2>`}${codeBlock(text, languageOf(path))}`,
)}
</div></main>`,
  })
}

const languageOf = (path: string): string => /\.(\w+)$/.exec(path)?.[1] ?? path.replace(/^.*\//, '').toLowerCase()

const frame = (page: { name: string }, version: string): Omit<Layout, 'title' | 'description' | 'content'> => ({
  brand: html`<a class="brand" href="${pageAddress(page, { name: '' })}">Natter <span>${version}</span></a>`,
  folder: below(page, ''),
  navigation: html`<ul>${groups.map(
    ({ title, pages }) =>
      html`<li><span class="group">${title}</span><ul>${pages.map(
        to =>
          html`<li>${to === page ? html`<a href="${pageAddress(page, to)}" aria-current="page">${to.task}</a>` : html`<a href="${pageAddress(page, to)}">${to.task}</a>`}</li>`,
      )}</ul></li>`,
  )}</ul>`,
  navigationName: 'Guides',
  menu: 'Natter',
})

function onThisPage(headings: Heading[]): Html | null {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return null
  return html`<nav class="toc" aria-label="On this page"><p aria-hidden="true">On this page</p><ul>${shown.map(
    ({ level, title, anchor }) => html`<li><a data-level="${level}" href="#${anchor}">${title}</a></li>`,
  )}</ul></nav>`
}

/** Links to the pages before and after this one. */
function neighbours(page: GuidePage): Html {
  const index = guidePages.indexOf(page)
  const [before, after] = [guidePages[index - 1], guidePages[index + 1]]
  return html`<nav class="neighbours" aria-label="More guides">
${before && html`<a href="${pageAddress(page, before)}" rel="prev"><span>Before</span>${before.task}</a>`}
${after && html`<a href="${pageAddress(page, after)}" rel="next"><span>Next</span>${after.task}</a>`}
</nav>`
}
