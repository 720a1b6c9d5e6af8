import { readFile } from 'node:fs/promises'
import { transformWithOxc } from 'vite'

const types = { css: 'text/css', svg: 'image/svg+xml', ts: 'text/javascript', js: 'text/javascript' } as const

/** Serves one of the page's files, and no other file of this folder. */
export async function serveFile(path: string): Promise<Response | null> {
  const [name, extension] = /^\/(?:main|page\/[\w-]+|page\/art\/[\w-]+)\.(css|svg|ts)$/.exec(path) ?? []
  if (name === undefined) return null
  const text = await readFile(new URL(`.${name}`, import.meta.url), 'utf8').catch(() => null)
  if (text === null) return null
  // TypeScript is served without types. There is no other build step.
  const body = extension === 'ts' ? (await transformWithOxc(text, name)).code : text
  return serveText(body, extension as keyof typeof types)
}

export function serveText(text: string, type: keyof typeof types): Response {
  const headers = { 'content-type': `${types[type]}; charset=utf-8`, 'cache-control': 'no-cache' }
  return new Response(text, { headers })
}
