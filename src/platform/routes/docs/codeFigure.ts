import { type Html, html, type Part } from './html.ts'

/** A block of code with a title. The page's script adds a Copy button. */
export const codeFigure = (title: string, code: Part): Html =>
  html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`
