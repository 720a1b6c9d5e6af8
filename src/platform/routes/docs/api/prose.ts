import { type Html, html } from '../html.ts'

/** Text with `code` in it. */
export const words = (text: string): Html =>
  html`${text.split(/(`[^`]+`)/).map(part => (/^`.+`$/s.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`

/** Paragraphs of a description, of which the document has CommonMark's simplest: blank lines and `code`. */
export const paragraphs = (text: string): Html =>
  html`${text.split('\n\n').map(paragraph => html`<p>${words(paragraph)}</p>`)}`

const token = /("(?:[^"\\]|\\.)*")(\s*:)?/g

/** JSON with its names and texts marked. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2)
  const parts: Html[] = []
  let end = 0
  for (const { index, 0: whole, 1: string = '', 2: colon } of text.matchAll(token)) {
    parts.push(html`${text.slice(end, index)}<span class="${colon ? 'key' : 'text'}">${string}</span>${colon}`)
    end = index + whole.length
  }
  return html`${parts}${text.slice(end)}`
}

/** A name for an address within the page. */
export const anchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-')
