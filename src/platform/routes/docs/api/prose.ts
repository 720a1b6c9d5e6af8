import { type Html, html } from '../html.ts'

/** Text in which backticks mark code. */
export const inlineText = (text: string): Html =>
  html`${text.split(/(`[^`]+`)/).map(part => (/^`.+`$/s.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`

/** The paragraphs of a description. The document uses only this of CommonMark: blank lines, and backticks for code. */
export const paragraphs = (text: string): Html =>
  html`${text.split('\n\n').map(paragraph => html`<p>${inlineText(paragraph)}</p>`)}`

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

/** The anchor of a section. */
export const anchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-')
