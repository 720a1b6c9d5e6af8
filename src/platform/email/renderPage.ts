import { html } from 'hono/html'
import { directionOf } from '../texts/botTexts.ts'

/** The content of a page that a mail links to. */
export interface PageContent {
  /** The language of the texts, a BCP 47 tag. */
  locale: string
  text: string
  /**
   * The button, without which nothing happens: programs that check mails follow their links. It sends `action` to the address of
   * the page.
   */
  button?: { text: string; action: string }
  link?: { text: string; url: string }
}

/** The headers of such a page, whose address contains a token. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

/** Renders a page that loads nothing. Texts may contain anything: none of them becomes HTML. */
export function renderPage({ locale, text, button, link }: PageContent): string {
  return String(html`<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${text}</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 30rem; margin: 20vh auto 0; padding: 0 1.5rem; font: 1.125rem/1.5 system-ui, sans-serif; text-align: center; }
button { padding: .75rem 1.25rem; font: inherit; font-weight: 600; cursor: pointer; }
</style>
</head>
<body>
<main>
<p>${text}</p>
${button ? html`<form method="post"><button name="action" value="${button.action}">${button.text}</button></form>` : ''}
${link ? html`<p><a href="${link.url}">${link.text}</a></p>` : ''}
</main>
</body>
</html>
`)
}
