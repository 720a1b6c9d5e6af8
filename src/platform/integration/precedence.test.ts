import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Endpoint, type EndpointName, endpoints } from '../../contract/index.ts'
import type { Connection } from '../http/connection.ts'
import { createPlatform, type Platform } from '../platform.ts'
import { createTestTenants, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
/** The same platform, where all rate limits are exhausted. */
let exhausted: Platform
let tokens: { organization: string; widget: string }
const connection: Connection = {
  incoming: { headers: {}, socket: { remoteAddress: '203.0.113.9' } },
}
beforeAll(async () => {
  tenants = await createTestTenants()
  const { store, clock, ours } = tenants
  exhausted = createPlatform({ store, clock, rateLimit: 1, limits: { addressSessionsPerMinute: 30 } })
  tokens = { organization: ours.organizationToken, widget: await ours.visitorToken() }
  const ask = (path: string, method: string, token: string) =>
    exhausted.fetch(
      new Request(`http://natter.test/v1/bots/${ours.bot.id}${path}`, { method, headers: { authorization: token } }),
      connection,
    )
  await ask('/contacts', 'POST', tokens.organization)
  for (let times = 1; times <= 120; times += 1) await ask('/widget/session', 'GET', tokens.widget)
  for (let times = 1; times <= 30; times += 1) await ask('/widget/sessions', 'POST', '')
})
afterAll(async () => {
  await exhausted.close()
  await tenants.close()
})

interface Attempt {
  method: string
  path: string
  query: string
  botId: string
  headers: Record<string, string>
  body: string | null
  limited: boolean
}

/** What can be wrong with a request, in the order of precedence. `undefined` if it does not apply. */
type Fault = { outcome: string; spoil: (attempt: Attempt) => void }
function faultsOf(name: EndpointName, row: Endpoint): Fault[] {
  const { auth, body, upload, query } = row
  const fault = (outcome: string, spoil: Fault['spoil'], when = true): Fault[] => (when ? [{ outcome, spoil }] : [])
  const sets = (headers: Record<string, string>) => (attempt: Attempt) => void Object.assign(attempt.headers, headers)
  const taken = Object.values<Endpoint>(endpoints).filter(({ path }) => path === row.path)
  const free = ['DELETE', 'PATCH', 'GET'].find(
    method => !taken.some(other => [other.method, other.alias].includes(method as never)),
  )
  const browser = auth === 'organization' ? '403 organization_token_in_browser' : '403 origin_not_allowed'
  const other = auth === 'organization' ? tokens.widget : tokens.organization
  return [
    ...fault('431 headers_too_large', sets({ 'x-filler': 'x'.repeat(17_000) })),
    ...fault(
      '413 body_too_large',
      sets({ 'content-length': String((upload?.maxBytes ?? body?.maxBytes ?? 32 * 1024) + 1) }),
    ),
    ...fault('404 not_found', attempt => {
      attempt.path = `${auth === 'organization' ? '' : '/widget'}/nowhere`
    }),
    ...fault('405 method_not_allowed', attempt => {
      attempt.method = free ?? 'PROPFIND'
    }),
    ...fault(browser, sets({ origin: 'https://evil.example' })),
    ...fault('401 unauthorized', sets({ authorization: '' }), auth !== 'none'),
    ...fault('403 insufficient_scope', sets({ authorization: other }), auth !== 'none'),
    ...fault(
      '429 rate_limited',
      attempt => {
        attempt.limited = true
      },
      name !== 'retrieveBotProfile',
    ),
    ...fault(
      '404 not_found',
      attempt => {
        attempt.botId = '00000000-0000-7000-8000-000000000000'
      },
      // A widget token belongs to one bot, and for another bot it is unknown.
      auth !== 'widget',
    ),
    ...fault('415 unsupported_media_type', sets({ 'content-type': 'text/plain' }), body !== undefined),
    ...fault(
      body ? '400 malformed_body' : '400 invalid_request',
      attempt => {
        if (body) attempt.body = '{'
        else attempt.query = '?limit=0'
      },
      body !== undefined || query !== undefined,
    ),
  ]
}

function outcomeWith(row: Endpoint, faults: Fault[]): Promise<string> {
  const attempt: Attempt = {
    method: row.method,
    path: row.path.replace('/v1/bots/{botId}', '').replace(/\{\w+\}/g, tenants.ours.bot.id),
    query: '',
    botId: tenants.ours.bot.id,
    headers: {
      ...(row.auth !== 'none' && { authorization: tokens[row.auth] }),
      ...(row.body && { 'content-type': 'application/json' }),
    },
    body: row.body ? '{}' : null,
    limited: false,
  }
  for (const { spoil } of faults) spoil(attempt)
  const { method, path, query, botId, headers, body, limited } = attempt
  const request = new Request(`http://natter.test/v1/bots/${botId}${path}${query}`, {
    method,
    headers,
    body: method === 'GET' ? null : body,
  })
  // Headers that arrive over a port are limited by Node.
  const isLarge = 'x-filler' in headers
  return (limited ? exhausted.fetch(request, isLarge ? {} : connection) : tenants.platform.fetch(request)).then(
    outcomeOf,
  )
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
      '/healthz',
      '/readyz',
      '/metrics',
      '/docs',
      '/docs/widget',
      '/docs/docs.css',
      '/v1/openapi.json',
      '/natter.js',
      '/natter@1.0.0/x.js',
    ]) {
      expect(await outcome('DELETE', path, { ...large, 'x-filler': 'x'.repeat(17_000) })).toBe('431 headers_too_large')
      expect(await outcome('DELETE', path, large)).toBe('413 body_too_large')
      expect(await outcome('DELETE', path)).toBe('405 method_not_allowed')
    }
    expect(await outcome('DELETE', '/nowhere', large)).toBe('413 body_too_large')
    expect(await outcome('DELETE', '/nowhere')).toBe('404 not_found')
  })
})
