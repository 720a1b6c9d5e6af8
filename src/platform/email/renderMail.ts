import { html } from 'hono/html'
import { directionOf } from '../texts/botTexts.ts'
import type { Mail } from './mailer.ts'

export interface Link {
  text: string
  url: string
}

/** What a mail says, as plain texts. */
export interface MailContent {
  /** The language of the texts, a BCP 47 tag. */
  locale: string
  /** Also its heading. */
  subject: string
  /** One with an author is a quoted message, which may be in any language. */
  paragraphs: { text: string; author?: string }[]
  /** Its button. */
  link: Link
  /** What stands at the end, small. */
  footer: { text: string; link?: Link }
}

/**
 * Renders a mail as plain text and as HTML that loads nothing, in light and dark colours. Texts may contain anything: none of
 * them becomes HTML.
 */
export function renderMail(content: MailContent): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { subject } = content
  return { subject: subject.replace(/\s+/g, ' '), text: renderText(content), html: String(renderHtml(content)) }
}

function renderText({ paragraphs, link, footer }: MailContent): string {
  const blocks = paragraphs.map(({ text, author }) => (author === undefined ? text : `${author}:\n\n${indent(text)}`))
  const end = [footer.text, ...(footer.link ? [`${footer.link.text}: ${footer.link.url}`] : [])]
  // A mail program takes what is behind this line for a signature.
  return [...blocks, `${link.text}: ${link.url}`, `-- \n${end.join('\n')}`].join('\n\n')
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '    ')

/** Mail programs that know no style sheet show the inline styles: those of light mode. */
const styles = {
  page: 'margin: 0; padding: 16px; background: #f2f3f6; color: #1c1e24; font: 16px/1.5 system-ui, sans-serif;',
  card: 'max-width: 560px; margin: 0 auto; padding: 24px; background: #ffffff; border-radius: 12px;',
  heading: 'margin: 0 0 16px; font-size: 20px; line-height: 1.3;',
  author: 'margin: 16px 0 4px; font-weight: 600; font-size: 14px;',
  quote: 'margin: 0; padding: 12px 16px; background: #f2f3f6; border-radius: 12px; overflow-wrap: anywhere;',
  action: 'margin: 24px 0 0;',
  button:
    'display: inline-block; padding: 12px 20px; background: #1c1e24; color: #ffffff; border-radius: 8px; font-weight: 600; text-decoration: none;',
  footer: 'max-width: 560px; margin: 16px auto 0; padding: 0 24px; color: #5b6070; font-size: 13px;',
}

const dark = html`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #141519 !important; color: #e8e9ed !important; }
  .card { background: #1f2127 !important; }
  .quote { background: #2b2e36 !important; }
  .button { background: #e8e9ed !important; color: #141519 !important; }
  .footer, .footer a { color: #a3a8b5 !important; }
}
</style>`

function renderHtml({ locale, subject, paragraphs, link, footer }: MailContent) {
  const block = ({ text, author }: MailContent['paragraphs'][number]) =>
    author === undefined
      ? html`<p dir="auto">${withBreaks(text)}</p>`
      : html`<p style="${styles.author}" dir="auto">${author}</p>
<div class="quote" style="${styles.quote}" dir="auto">${withBreaks(text)}</div>`
  return html`<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
${dark}
</head>
<body class="page" style="${styles.page}">
<div class="card" style="${styles.card}">
<h1 style="${styles.heading}">${subject}</h1>
${paragraphs.map(block)}
<p style="${styles.action}"><a class="button" style="${styles.button}" href="${link.url}">${link.text}</a></p>
</div>
<div class="footer" style="${styles.footer}">
<p>${footer.text}</p>
${footer.link ? html`<p><a style="color: #5b6070;" href="${footer.link.url}">${footer.link.text}</a></p>` : ''}
</div>
</body>
</html>
`
}

const withBreaks = (text: string) => text.split('\n').map((line, index) => (index > 0 ? html`<br>${line}` : line))
