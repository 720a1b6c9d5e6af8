import {
  below,
  type GuidePage,
  groups,
  guidePages,
  linkAddress,
  pageAddress,
  type SourcePage,
  searchPageName,
} from './pages.ts'
import { codeBlock, escaped, type Heading, renderMarkdown, unescaped, withoutElements } from './renderMarkdown.ts'

/** What all pages have. */
export interface Frame {
  /** The version of the package. */
  version: string
  /** The `integrity` of each style and script, by the name of its file. */
  integrity: Record<'docs.css' | 'docs.js' | 'search.js', string>
}

/** A part of a guide, for the search. */
export interface Section {
  /** The page that has it, and its anchor. */
  name: string
  anchor: string
  /** The guide's task. */
  task: string
  title: string
  text: string
}

const render = (page: GuidePage, text: string) => renderMarkdown(text, link => linkAddress(page, link))

/** A page with a guide, from its Markdown. */
export function guidePage(page: GuidePage, text: string, frame: Frame): string {
  const { content, headings } = render(page, text)
  const title = headings[0]?.title ?? page.task
  const group = groups.find(({ pages }) => pages.includes(page))
  return layout(page, frame, {
    title: page.name ? `${title} · Natter` : `${title}: documentation`,
    description: page.task,
    content: `<div class="prose">
${page.name && `<p class="group">${group?.title}</p>`}
${content}
${neighbours(page)}
</div>
${onThisPage(headings)}`,
  })
}

/** A page with files as they are, each with its text. */
export function sourcePage(page: SourcePage, files: { path: string; text: string }[], frame: Frame): string {
  const blocks = files.map(({ path, text }) => {
    const language = /\.(\w+)$/.exec(path)?.[1] ?? path.replace(/^.*\//, '').toLowerCase()
    return `${path === page.path ? '' : `<h2><code>${path}</code></h2>`}${codeBlock(text, language)}`
  })
  return layout(page, frame, {
    title: `${page.path} · Natter`,
    description: `A file that comes with Natter: ${page.path}`,
    content: `<div class="prose"><h1><code>${page.path}</code></h1>\n${blocks.join('')}</div>`,
  })
}

/** The page that searches all guides in the browser. */
export const searchPage = (frame: Frame): string =>
  layout({ name: searchPageName }, frame, {
    title: 'Search · Natter',
    description: 'Search all guides and the API reference',
    scripts: ['docs.js', 'search.js'],
    content: `<div class="prose"><h1><label for="query">Search</label></h1>
<input id="query" type="search" autocomplete="off" spellcheck="false" autofocus>
<p id="status" role="status"></p>
<ol id="results" class="results"></ol>
<noscript><p>The search needs JavaScript.</p></noscript></div>`,
  })

/** The parts of a guide between its headings. */
export const sectionsOf = (page: GuidePage, text: string): Section[] =>
  [...render(page, text).content.matchAll(/<h([1-4]) id="([^"]*)">(.*?)<\/h\1>(.*?)(?=<h[1-4] id=|$)/gs)].map(
    ([, , anchor = '', title = '', content = '']) => ({
      name: page.name,
      anchor,
      task: page.task,
      title: plain(title),
      text: plain(content),
    }),
  )

const plain = (html: string): string =>
  unescaped(
    withoutElements(
      html.replace(/<ul class="contents">.*?<\/ul>/gs, '').replace(/<\/?(?:p|li|td|th|tr|figcaption|pre|br)\b/g, ' $&'),
    ),
  )
    .replace(/\s+/g, ' ')
    .trim()

function onThisPage(headings: Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return ''
  const links = shown.map(
    ({ level, title, anchor }) => `<li><a data-level="${level}" href="#${anchor}">${title}</a></li>`,
  )
  return `<nav class="toc" aria-label="On this page"><p aria-hidden="true">On this page</p><ul>${links.join('')}</ul></nav>`
}

/** Links to the pages before and after this one. */
function neighbours(page: GuidePage): string {
  const index = guidePages.indexOf(page)
  const link = (to: GuidePage | undefined, rel: string, label: string) =>
    to ? `<a href="${pageAddress(page, to)}" rel="${rel}"><span>${label}</span>${escaped(to.task)}</a>` : ''
  return `<nav class="neighbours" aria-label="More guides">${link(guidePages[index - 1], 'prev', 'Before')}${link(guidePages[index + 1], 'next', 'Next')}</nav>`
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%233b5bdb' d='M2 3a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7l-4 4v-4a2 2 0 0 1-1-2z'/%3E%3C/svg%3E"

interface Content {
  title: string
  description: string
  content: string
  scripts?: ('docs.js' | 'search.js')[]
}

function layout(
  page: { name: string },
  { version, integrity }: Frame,
  { title, description, content, scripts = ['docs.js'] }: Content,
): string {
  // The address of a file changes with its content: pages and files are cached independently.
  const address = (file: keyof Frame['integrity']) =>
    `${below(page, file)}?v=${encodeURIComponent(integrity[file].slice(7, 15))}" integrity="${integrity[file]}`
  const link = (to: { name: string; task: string }) =>
    `<li><a href="${pageAddress(page, to)}"${to.name === page.name ? ' aria-current="page"' : ''}>${escaped(to.task)}</a></li>`
  const navigation = `<ul>${link({ name: searchPageName, task: 'Search' })}${groups
    .map(group => `<li><span class="group">${group.title}</span><ul>${group.pages.map(link).join('')}</ul></li>`)
    .join('')}</ul>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${escaped(description)}">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${address('docs.css')}">
${scripts.map(file => `<script type="module" src="${address(file)}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<aside><a class="brand" href="${pageAddress(page, { name: '' })}">Natter <span>${version}</span></a><nav aria-label="Guides">${navigation}</nav></aside>
<details class="menu"><summary>Natter <span>Contents</span></summary><nav aria-label="Guides, short">${navigation}</nav></details>
<main id="main" tabindex="-1">
${content}
</main>
</body>
</html>
`
}
