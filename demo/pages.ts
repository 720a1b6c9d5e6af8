import { randomBytes } from 'node:crypto'

/**
 * Creates the response for a page from its HTML, with values for the `{{…}}` placeholders and a Content Security Policy
 * that the widget supports.
 */
export function servePage(html: string, values: Record<string, string> & { baseUrl: string }): Response {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `connect-src 'self' ${new URL(values.baseUrl).origin}`,
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  const replacements: Record<string, string> = { ...values, nonce }
  return new Response(
    html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => toAttribute(replacements[name] ?? '')),
    {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy.join('; '),
        'cache-control': 'no-cache',
        'referrer-policy': 'same-origin',
      },
    },
  )
}

const toAttribute = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
