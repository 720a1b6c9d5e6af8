import { afterAll, describe, expect, it } from 'vitest'
import { type Endpoint, type EndpointName, endpoints } from '../../contract/index.ts'
import { connectionFrom } from '../testing/connectionFrom.ts'
import { createTestTenants, outcomeOf } from '../testing/testTenants.ts'

const tenants = await createTestTenants()
const { ours } = tenants
/** The same platform, where all rate limits are exhausted. */
const exhausted = tenants.addNode({ rateLimit: 1, limits: { addressSessionsPerMinute: 30 } })
const tokens = { organization: ours.organizationToken, widget: await ours.visitorToken() }
const connection = connectionFrom('203.0.113.9')
const exhaust = async (times: number, path: string, method: string, authorization: string) => {
  const url = `http://natter.test/v1/bots/${ours.bot.id}${path}`
  for (let time = 1; time <= times; time += 1)
    await exhausted.fetch(new Request(url, { method, headers: { authorization } }), connection)
}
await exhaust(1, '/contacts', 'POST', tokens.organization)
await exhaust(120, '/widget/session', 'GET', tokens.widget)
await exhaust(30, '/widget/sessions', 'POST', '')
afterAll(() => tenants.close())

interface Attempt {
  method: string
  path: string
  query: string
  botId: string
  headers: Record<string, string>
  body: string | null
  limited: boolean
}

/** What can be wrong with a request, in the order of precedence. */
type Fault = { outcome: string; spoil: (attempt: Attempt) => void }
function faultsOf(name: EndpointName, row: Endpoint): Fault[] {
  const { auth, body, upload, query } = row
  const fault = (outcome: string, spoil: Fault['spoil'], when = true): Fault[] => (when ? [{ outcome, spoil }] : [])
  const sets = (headers: Record<string, string>) => (attempt: Attempt) => void Object.assign(attempt.headers, headers)
  const is = (changes: Partial<Attempt>) => (attempt: Attempt) => void Object.assign(attempt, changes)
  const taken = Object.values<Endpoint>(endpoints).filter(({ path }) => path === row.path)
  const free = ['DELETE', 'PATCH', 'GET'].find(
    method => !taken.some(other => [other.method, other.alias].includes(method as never)),
  )
  const maxBytes = upload?.maxBytes ?? body?.maxBytes ?? 32 * 1024
  const browser = auth === 'organization' ? '403 organization_token_in_browser' : '403 origin_not_allowed'
  const other = auth === 'organization' ? tokens.widget : tokens.organization
  return [
    ...fault('431 headers_too_large', sets({ 'x-filler': 'x'.repeat(17_000) })),
    ...fault('413 body_too_large', sets({ 'content-length': String(maxBytes + 1) })),
    ...fault('404 not_found', is({ path: `${auth === 'organization' ? '' : '/widget'}/nowhere` })),
    ...fault('405 method_not_allowed', is({ method: free ?? 'PROPFIND' })),
    ...fault(browser, sets({ origin: 'https://evil.example' })),
    ...fault('401 unauthorized', sets({ authorization: '' }), auth !== 'none'),
    ...fault('403 insufficient_scope', sets({ authorization: other }), auth !== 'none'),
    ...fault('429 rate_limited', is({ limited: true }), name !== 'retrieveBotProfile'),
    // A widget token belongs to one bot, and for another bot it is unknown.
    ...fault('404 not_found', is({ botId: '00000000-0000-7000-8000-000000000000' }), auth !== 'widget'),
    ...fault('415 unsupported_media_type', sets({ 'content-type': 'text/plain' }), body !== undefined),
    ...fault('400 malformed_body', is({ body: '{' }), body !== undefined),
    ...fault('400 invalid_request', is({ query: '?limit=0' }), body === undefined && query !== undefined),
  ]
}

async function outcomeWith(row: Endpoint, faults: Fault[]): Promise<string> {
  const attempt: Attempt = {
    method: row.method,
    path: row.path.replace('/v1/bots/{botId}', '').replace(/\{\w+\}/g, ours.bot.id),
    query: '',
    botId: ours.bot.id,
    headers: {
      ...(row.auth !== 'none' && { authorization: tokens[row.auth] }),
      ...(row.body && { 'content-type': 'application/json' }),
    },
    body: row.body ? '{}' : null,
    limited: false,
  }
  for (const { spoil } of faults) spoil(attempt)
  const { path, query, botId, limited, ...init } = attempt
  if (init.method === 'GET') init.body = null
  const request = new Request(`http://natter.test/v1/bots/${botId}${path}${query}`, init)
  // Headers that arrive over a port are limited by Node.
  const isLarge = 'x-filler' in init.headers
  const platform = limited ? exhausted : tenants.platform
  return outcomeOf(platform.fetch(request, limited && !isLarge ? connection : {}))
}

describe('precedence: 431, 413, path 404, 405, browser 403, 401, scope 403, 429, bot 404, 415, 400', () => {
  it.each(Object.entries(endpoints) as [EndpointName, Endpoint][])('applies to %s', async (name, row) => {
    const faults = faultsOf(name, row)
    for (const [index, first] of faults.entries()) {
      expect(await outcomeWith(row, [first])).toBe(first.outcome)
      for (const second of faults.slice(index + 1)) {
        // For an unknown bot, its allowed origins are unknown.
        if (first.outcome === '403 origin_not_allowed' && second.outcome === '404 not_found') continue
        // Later faults are added first: of two tokens the last one counts.
        expect(`${second.outcome}: ${await outcomeWith(row, [second, first])}`).toBe(
          `${second.outcome}: ${first.outcome}`,
        )
      }
    }
  })

  it('also applies beside the endpoints', async () => {
    const outcome = (method: string, path: string, headers: Record<string, string> = {}) =>
      tenants.platform.fetch(new Request(`http://natter.test${path}`, { method, headers })).then(outcomeOf)
    const large = { 'content-length': '40000' }
    for (const path of [
      ...['/healthz', '/readyz', '/metrics', '/docs', '/docs/widget', '/docs/docs.css', '/v1/openapi.json'],
      ...['/natter.js', '/natter@1.0.0/x.js'],
    ]) {
      expect(await outcome('DELETE', path, { ...large, 'x-filler': 'x'.repeat(17_000) })).toBe('431 headers_too_large')
      expect(await outcome('DELETE', path, large)).toBe('413 body_too_large')
      expect(await outcome('DELETE', path)).toBe('405 method_not_allowed')
    }
    expect(await outcome('DELETE', '/nowhere', large)).toBe('413 body_too_large')
    expect(await outcome('DELETE', '/nowhere')).toBe('404 not_found')
  })
})
