import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { transformWithOxc } from 'vite'

const types = { css: 'text/css', svg: 'image/svg+xml', ts: 'text/javascript' } as const

/** One of the page's own files: nothing else of this folder can be asked for. */
export async function serveFile(path: string): Promise<Response | null> {
  const [name, extension] = /^\/(?:main|page\/[\w-]+|page\/art\/[\w-]+)\.(css|svg|ts)$/.exec(path) ?? []
  if (name === undefined) return null
  const text = await readFile(new URL(`.${name}`, import.meta.url), 'utf8').catch(() => null)
  if (text === null) return null
  // The browser gets its TypeScript without the types; nothing else is built.
  const body = extension === 'ts' ? (await transformWithOxc(text, name)).code : text
  const headers = {
    'content-type': `${types[extension as keyof typeof types]}; charset=utf-8`,
    'cache-control': 'no-cache',
  }
  return new Response(body, { headers })
}

/** The shop's page, under a policy in which the widget runs as well as everything else here. */
export async function servePage({ baseUrl, botId }: { baseUrl: string; botId: string }): Promise<Response> {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  const values: Record<string, string> = { nonce, botId, baseUrl: baseUrl.replace(/\/+$/, '') }
  const html = await readFile(new URL('index.html', import.meta.url), 'utf8')
  return new Response(
    html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => toAttribute(values[name] ?? '')),
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
