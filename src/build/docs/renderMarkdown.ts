import { Marked } from 'marked'
import { createAnchors } from './anchors.ts'

export interface Heading {
  level: number
  /** Its text as HTML, without elements. */
  title: string
  anchor: string
}

export interface RenderedMarkdown {
  content: string
  /** All headings, in the text's order. */
  headings: Heading[]
}

const languages: Record<string, string> = {
  caddyfile: 'Caddyfile',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  ini: 'INI',
  js: 'JavaScript',
  json: 'JSON',
  md: 'Markdown',
  nginx: 'nginx',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  sh: 'Shell',
  sql: 'SQL',
  svelte: 'Svelte',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  vue: 'Vue',
  yaml: 'YAML',
}

/** A block of code with the name of its language. The page's script adds a Copy button. */
export const codeBlock = (code: string, language = ''): string =>
  `<figure><figcaption>${languages[language] ?? 'Text'}</figcaption><pre tabindex="0"><code>${escaped(code)}</code></pre></figure>\n`

/**
 * Renders Markdown of ours as HTML. A heading has the anchor that GitHub gives it, or that of its end: `## Title {#anchor}`.
 *
 * @param linkAddress Returns the address for a link or picture of the text.
 */
export function renderMarkdown(text: string, linkAddress: (link: string) => string): RenderedMarkdown {
  const headings: Heading[] = []
  const anchorOf = createAnchors()
  const marked = new Marked({
    renderer: {
      heading({ depth: level, tokens }) {
        const [, content = '', given] = /^(.*?)(?: \{#([\w-]+)\})?$/s.exec(this.parser.parseInline(tokens)) ?? []
        const title = withoutElements(content)
        const anchor = given ?? anchorOf(unescaped(title))
        headings.push({ level, title, anchor })
        return level === 1
          ? `<h1 id="${anchor}">${content}</h1>\n`
          : `<h${level} id="${anchor}"><a href="#${anchor}">${content}</a></h${level}>\n`
      },
      code: ({ text, lang }) => codeBlock(text, lang),
      // A path may break after each of its parts, so that a column of a table need not be as wide as the path.
      codespan: ({ text }) => `<code>${escaped(text).replace(/\/(?=[\w{])/g, '/<wbr>')}</code>`,
      link({ href, tokens }) {
        return `<a href="${escaped(linkAddress(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image: ({ href, text }) => `<img src="${escaped(linkAddress(href))}" alt="${escaped(text)}">`,
    },
  })
  const content = (marked.parse(text) as string)
    // A wide table scrolls, also with the keyboard.
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    // Screen readers would announce an empty header.
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<th>', '<th scope="col">')
    // Pages with room for it have the contents beside the text.
    .replace(/<ul>(?=\n(?:<li><a href="#[^"]*">[^\n]*<\/a><\/li>\n)+<\/ul>)/g, '<ul class="contents">')
  return { content, headings }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const characters = Object.fromEntries(Object.entries(entities).map(([character, entity]) => [entity, character]))

/** A text as HTML, for an element or a quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, character => entities[character] ?? '')

/** The text of HTML without elements. */
export const unescaped = (html: string): string =>
  html.replace(/&(?:amp|lt|gt|quot|#39);/g, entity => characters[entity] ?? '')

export const withoutElements = (html: string): string => html.replace(/<[^>]*>/g, '')
