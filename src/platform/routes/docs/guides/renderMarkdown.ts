import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type Html, html } from '../html.ts'
import { createAnchors } from './anchors.ts'
import { codeBlock } from './codeBlock.ts'
import { sequenceDiagram } from './sequenceDiagram.ts'

export interface Heading {
  level: number
  title: string
  anchor: string
}

export interface RenderedMarkdown {
  content: Html
  /** All headings, in the text's order. */
  headings: Heading[]
}

/**
 * Renders Markdown as elements. Raw HTML is shown as it was written, comments are left out.
 *
 * @param linkAddress Returns the address for a link or picture of the text. Without one, a link is shown as plain text.
 */
export function renderMarkdown(text: string, linkAddress: (link: string) => string | null): RenderedMarkdown {
  const headings: Heading[] = []
  const anchorOf = createAnchors()

  const renderList = (tokens: readonly Token[] = []): Html[] =>
    tokens.map(token => html`${render(token as MarkedToken)}`)

  function render(token: MarkedToken): Html | string | null {
    switch (token.type) {
      case 'space':
      case 'def':
        return null
      case 'html':
        return /^<!--[\s\S]*-->\s*$/.test(token.raw) ? null : token.raw
      case 'hr':
        return html`<hr>`
      case 'br':
        return html`<br>`
      case 'heading':
        return renderHeading(token)
      case 'paragraph':
        return html`<p>${renderList(token.tokens)}</p>`
      case 'blockquote':
        return html`<blockquote>${renderList(token.tokens)}</blockquote>`
      case 'strong':
        return html`<strong>${renderList(token.tokens)}</strong>`
      case 'em':
        return html`<em>${renderList(token.tokens)}</em>`
      case 'del':
        return html`<del>${renderList(token.tokens)}</del>`
      case 'list':
        return renderItems(token)
      case 'table':
        return renderTable(token)
      case 'code':
        return (token.lang === 'mermaid' && sequenceDiagram(token.text)) || codeBlock(token.text, token.lang)
      case 'codespan':
        return html`<code>${breakable(token.text)}</code>`
      case 'link': {
        const address = linkAddress(token.href)
        return address === null
          ? html`${renderList(token.tokens)}`
          : html`<a href="${address}">${renderList(token.tokens)}</a>`
      }
      case 'image': {
        const address = linkAddress(token.href)
        return address === null ? token.text : html`<img src="${address}" alt="${token.text}">`
      }
      case 'text':
        return token.tokens ? html`${renderList(token.tokens)}` : token.text
      case 'escape':
        return token.text
      default:
        return token.raw
    }
  }

  function renderHeading({ depth, tokens }: Tokens.Heading): Html {
    const title = plainText(tokens)
    const anchor = anchorOf(title)
    headings.push({ level: depth, title, anchor })
    const content = html`<a href="#${anchor}">${renderList(tokens)}</a>`
    if (depth === 1) return html`<h1 id="${anchor}">${renderList(tokens)}</h1>`
    if (depth === 2) return html`<h2 id="${anchor}">${content}</h2>`
    if (depth === 3) return html`<h3 id="${anchor}">${content}</h3>`
    return html`<h4 id="${anchor}">${content}</h4>`
  }

  function renderItems({ ordered, start, items }: Tokens.List): Html {
    const content = items.map(({ tokens }) => html`<li>${renderList(tokens)}</li>`)
    if (ordered) return html`<ol start="${start || 1}">${content}</ol>`
    return items.every(isLinkWithinPage) ? html`<ul class="contents">${content}</ul>` : html`<ul>${content}</ul>`
  }

  const renderTable = ({ header, rows }: Tokens.Table): Html =>
    html`<div class="table" role="group" aria-label="Table" tabindex="0"><table data-columns="${header.length}">
<thead><tr>${header.map(({ tokens }) => (tokens.length > 0 ? html`<th scope="col">${renderList(tokens)}</th>` : html`<td></td>`))}</tr></thead>
<tbody>${rows.map(cells => html`<tr>${cells.map(({ tokens }) => html`<td>${renderList(tokens)}</td>`)}</tr>`)}</tbody>
</table></div>`

  // Pass options: otherwise marked keeps the lexer in its global defaults.
  const content = html`${renderList(new Lexer({ gfm: true }).lex(text))}`
  return { content, headings }
}

/** Code that may be broken between the parts of a path, so that a column of a table need not be as wide as the path. */
const breakable = (code: string): Html =>
  html`${code.split(/(?<=\/)(?=[\w{])/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`

/** Whether an item of a list is nothing but a link to a heading, as in a table of contents. */
function isLinkWithinPage({ tokens }: Tokens.ListItem): boolean {
  const [only, ...others] = tokens.flatMap(token =>
    'tokens' in token ? (token.tokens ?? []) : [token],
  ) as MarkedToken[]
  return others.length === 0 && only?.type === 'link' && only.href.startsWith('#')
}

const plainText = (tokens: readonly Token[]): string =>
  (tokens as readonly MarkedToken[])
    .map(token =>
      'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : token.raw,
    )
    .join('')
