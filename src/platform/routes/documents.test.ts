import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../domain/problem.ts'
import type { AppEnv } from '../http/appEnv.ts'
import { documentRoutes } from './documents.ts'

const policy = "default-src 'none'; script-src 'sha256-x'"
const built: Record<string, string> = {
  'docs/policy.txt': policy,
  'docs/index.html': 'the start',
  'docs/widget.html': 'the widget',
  'docs/docs.css': 'style',
  'docs/search.js': 'script',
  'docs/http.svg': '<svg/>',
  'docs/sign-in.webp': 'picture',
  'docs/secret.html.map': 'no page',
}
const routesOf = (files: Record<string, string>) => {
  const routes = documentRoutes('1.2.3', async path =>
    path in files ? new Uint8Array(Buffer.from(files[path] ?? '')) : null,
  )
  const app = new Hono<AppEnv>()
  for (const [path, respond] of Object.entries(routes)) app.get(path.replace('{page}', ':page'), respond)
  app.onError((error, c) => c.text(error instanceof ProblemError ? error.code : error.name, 404))
  return app
}
const app = routesOf(built)

describe('GET /docs', () => {
  it.each([
    ['/docs', 'the start', 'text/html; charset=utf-8', policy],
    ['/docs/widget', 'the widget', 'text/html; charset=utf-8', policy],
    ['/docs/docs.css', 'style', 'text/css; charset=utf-8', null],
    ['/docs/search.js', 'script', 'text/javascript; charset=utf-8', null],
    ['/docs/http.svg', '<svg/>', 'image/svg+xml', expect.stringContaining("default-src 'none'")],
    ['/docs/sign-in.webp', 'picture', 'image/webp', null],
  ])('%s is the built file, with its type and policy', async (path, text, type, csp) => {
    const response = await app.request(path)
    const { status, headers } = response
    expect([status, await response.text(), headers.get('content-type')]).toEqual([200, text, type])
    expect(headers.get('content-security-policy')).toEqual(csp)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })

  it('is compressed for clients that accept it, and has an ETag', async () => {
    const { headers } = await app.request('/docs/widget', { headers: { 'accept-encoding': 'br' } })
    expect([headers.get('content-encoding'), headers.get('etag')]).toEqual(['br', expect.any(String)])
  })

  it.each([
    ...['none', 'none.svg', 'index', 'policy.txt', 'widget.html', 'secret.html.map'],
    ...['..%2Fpackage.json', '%2e%2e%2fdocs%2fwidget', '..%2Fhttp.svg', 'constructor', 'x.constructor', '__proto__'],
  ])('has no %s', async file => {
    expect(await (await app.request(`/docs/${file}`)).text()).toBe('not_found')
  })

  it('is not found where nothing is built, as from the source', async () => {
    expect((await routesOf({}).request('/docs')).status).toBe(404)
  })
})
