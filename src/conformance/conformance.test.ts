import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestTenants } from '../platform/testing/testTenants.ts'
import { freePort } from '../testPort.ts'
import { type ConformanceOptions, type RuleResult, runConformance, selectRules } from './conformance.ts'
import { emailPrefix } from './testTarget.ts'

const { ours, serve, close } = await createTestTenants()
afterAll(close)
const { port } = await serve()

type Ask = (request: Request) => Promise<Response>
const options = (more: Partial<ConformanceOptions> = {}): ConformanceOptions => ({
  baseUrl: `http://127.0.0.1:${port}/`,
  botId: ours.bot.id,
  token: ours.organizationToken,
  ...more,
})
async function run(more?: Partial<ConformanceOptions>): Promise<RuleResult[]> {
  const results: RuleResult[] = []
  for await (const result of runConformance(options(more))) results.push(result)
  return results
}
const broken = async (ask: Ask, only?: RegExp): Promise<string[]> =>
  (await run({ fetch: ask, only })).filter(({ ok }) => !ok).map(({ label, title }) => `${label} ${title}`)
const countLeftovers = async (): Promise<number> => {
  const found = await ours.call('POST', `/contacts?query=${emailPrefix}`)
  return ((await found.json()) as { pagination: { total: number } }).pagination.total
}

/** A proxy that changes the responses to some requests. */
const changing =
  (
    asked: RegExp,
    change: (answer: {
      status: number
      headers: Headers
      text: string
    }) => { status?: number; text?: string } | undefined,
  ): Ask =>
  async request => {
    const path = `${request.method} ${request.url}`
    const response = await fetch(request)
    const text = await response.text()
    const { status, headers } = response
    const changed = asked.test(path) ? { status, text, ...change({ status, headers, text }) } : { status, text }
    return new Response([204, 304].includes(changed.status) ? null : changed.text, { ...changed, headers })
  }
const json = (text: string, change: (body: Record<string, Record<string, unknown>>) => void): { text: string } => {
  const body = JSON.parse(text) as Record<string, Record<string, unknown>>
  change(body)
  return { text: JSON.stringify(body) }
}

/** The only rule that a server without any response obeys. */
const silence = /never repeats a token/

// `platform/cli/conformance.test.ts` shows that our own platform follows all rules.
describe('runConformance', () => {
  it('has a section of the specification or a topic for each rule, and uses no title twice', () => {
    const rules = selectRules({})
    for (const { source, label } of rules)
      expect(label).toMatch(source === 'specification' ? /^(1|2\.[1-4]|4\.[12]|5\.[12]|7|8)$/ : /^natter\/[a-z]+$/)
    expect(new Set(rules.map(({ title }) => title)).size).toBe(rules.length)
  })

  it('can be limited to the specification or to rules that match a pattern', async () => {
    const specification = await run({ specOnly: true, only: /contact token/ })
    expect(specification.length).toBeGreaterThan(5)
    for (const { label, source } of specification)
      expect([source, label]).toEqual(['specification', expect.stringMatching(/^\d/)])
    const ours = await run({ only: /^natter.tokens .*year/ })
    expect(ours.map(({ title }) => title)).toEqual(['a contact token expires on the same day of the next year'])
  })

  it.each<[string, Ask, RegExp]>([
    [
      'a contact without an id',
      changing(/^PUT .*\/contacts$/, ({ status, text }) =>
        status === 201 && text.includes('"name"') ? json(text, ({ data }) => delete data?.['id']) : undefined,
      ),
      /4\.2 create a contact returns the contact with its new id/,
    ],
    [
      'a taken email answered with 409',
      changing(/^PUT .*\/contacts$/, ({ text }) => (text.includes('email_taken') ? { status: 409 } : undefined)),
      /7 create a contact returns 400 if the email already exists/,
    ],
    [
      'a payload after an update',
      changing(/^PATCH .*\/contacts\/./, ({ status }) => (status === 200 ? { text: '{}' } : undefined)),
      /4\.2 update a contact returns 200 without a body/,
    ],
    [
      'a delete answered with 200',
      changing(/^DELETE .*\/contacts\/[0-9a-f-]{36}$/, ({ status }) => (status === 204 ? { status: 200 } : undefined)),
      /4\.2 delete a contact returns 204/,
    ],
    [
      'a total that is a text',
      changing(/^POST .*\/contacts\?/, ({ status, text }) =>
        status === 200 ? json(text, ({ pagination }) => Object.assign(pagination ?? {}, { total: 'many' })) : undefined,
      ),
      /2\.3 the pagination object contains numbers/,
    ],
    [
      'a token of ten years',
      changing(/^PUT .*\/auth\/contacts$/, ({ status, text }) =>
        status === 201 ? { text: text.replace(/"expiresAt":"\d{4}/, '"expiresAt":"2040') } : undefined,
      ),
      /2\.2 a contact token is valid for one year/,
    ],
    [
      'problems of another type',
      changing(/^PUT .*\/contacts$/, ({ status, text }) =>
        status === 400 ? { text: text.replace('urn:natter:problem', 'https://errors.example') } : undefined,
      ),
      /natter.responses errors are problems of RFC 9457/,
    ],
    [
      'a CORS header to browsers',
      async request => {
        const response = await fetch(request)
        const headers = new Headers(response.headers)
        if (request.headers.has('origin')) headers.set('access-control-allow-origin', '*')
        return new Response(response.status === 204 ? null : await response.text(), {
          status: response.status,
          headers,
        })
      },
      /natter.requests every organization endpoint refuses browsers/,
    ],
    [
      'a service that asks nobody for a token',
      async request => {
        const headers = new Headers(request.headers)
        headers.set('authorization', ours.organizationToken)
        return fetch(new Request(request, { headers }))
      },
      /5\.1 every contact and contact-token endpoint refuses a request without a token/,
    ],
  ])('fails on a platform with %s', async (_, ask, rule) => {
    const failed = await broken(ask, rule)
    expect(failed).toEqual([expect.stringMatching(rule)])
    expect(await countLeftovers()).toBe(0)
  })

  it.each([
    ['fails at everything', '', 500, [silence]],
    [
      'agrees to everything',
      '{"data":{"id":"x"},"pagination":{}}',
      200,
      [/accepted as a Bearer/, /Bearer is accepted/, silence],
    ],
    [
      'refuses everything',
      '{"code":"not_found"}',
      404,
      [/without a token/, /an unknown token/, /preflight/, /requires/, /an unknown id/, /requires data/, silence],
    ],
  ])('passes almost no rule on a platform that %s', async (_, text, status, held) => {
    let requestCount = 0
    const unresponsive: Ask = async request => (requestCount++ === 0 ? fetch(request) : new Response(text, { status }))
    const results: RuleResult[] = []
    // It cannot delete what it pretends to have created.
    const collect = async () => {
      for await (const result of runConformance(options({ fetch: unresponsive }))) results.push(result)
    }
    await collect().catch(() => {})
    expect(results.length).toBe(selectRules({}).length)
    const kept = results.filter(({ ok }) => ok).map(({ title }) => title)
    expect(kept).toEqual(held.map(title => expect.stringMatching(title)))
  })

  it('reports the expected and the actual value, without any token', async () => {
    const leaking = changing(/auth\/contacts$/, ({ text }) => ({
      status: 418,
      text: `${text} ${ours.organizationToken}`,
    }))
    const [result] = await run({ fetch: leaking, only: /accepts the id of a contact/ })
    expect(result).toMatchObject({ ok: false, expected: 'a success', got: expect.stringMatching(/^418 .*PUT \/auth/) })
    expect(JSON.stringify(result)).not.toMatch(/[0-9a-f]{20}/)
    expect(JSON.stringify(result)).not.toContain(ours.organizationToken.slice(2))
  })

  it('deletes what was created although its response was lost, and when it is interrupted', async () => {
    const abort = new AbortController()
    let made = 0
    const interrupted: Ask = async request => {
      const response = await fetch(request)
      if (request.method !== 'PUT' || !request.url.endsWith('/contacts')) return response
      if (++made < 3) return response
      // The third create is done, but its response never arrives.
      abort.abort()
      throw new TypeError('fetch failed')
    }
    const results = await run({ fetch: interrupted, signal: abort.signal, only: /^4\.2/ })
    expect(made).toBe(3)
    expect(results.length).toBeLessThan(5)
    expect(await countLeftovers()).toBe(0)
  })

  it('waits, when interrupted, for requests that are still creating something', async () => {
    const abort = new AbortController()
    let requestCount = 0
    let late: Promise<Response> | undefined
    const slow: Ask = async request => {
      if (request.method !== 'PUT' || ++requestCount !== 2) return fetch(request)
      abort.abort()
      // Resolves in the end whether or not anybody waits for it.
      const { method, url, headers } = request
      const body = await request.text()
      late = setTimeout(300).then(() => fetch(url, { method, headers, body }))
      const cutOff = new Promise<never>((_, reject) => request.signal.addEventListener('abort', reject))
      request.signal.throwIfAborted()
      return Promise.race([late, cutOff])
    }
    await run({ fetch: slow, signal: abort.signal, only: /^4\.2/ })
    await late
    expect(requestCount).toBe(2)
    expect(await countLeftovers()).toBe(0)
  })

  it('deletes what was created when the consumer stops early', async () => {
    const results: RuleResult[] = []
    for await (const result of runConformance(options({ only: /^4\.2/ }))) {
      results.push(result)
      break
    }
    expect(results).toEqual([expect.objectContaining({ ok: true })])
    expect(await countLeftovers()).toBe(0)
  })

  it('waits when it is rate limited', async () => {
    let refused = 0
    const busy: Ask = async request => {
      if (refused++ % 4 === 1) return new Response('', { status: 429, headers: { 'retry-after': '0' } })
      return fetch(request)
    }
    expect(await broken(busy, /^4\.2 create a contact/)).toEqual([])
    expect(refused).toBeGreaterThan(8)
  })

  it('throws a list of what could not be deleted', async () => {
    const kept: string[] = []
    const stubborn: Ask = async request => {
      if (request.method !== 'DELETE') return fetch(request)
      kept.push(request.url.replace(/^.*\//, ''))
      return new Response('', { status: 500 })
    }
    await expect(run({ fetch: stubborn, only: /4\.2 create a contact returns/ })).rejects.toThrow(
      /could not be deleted: /,
    )
    for (const id of new Set(kept)) await ours.call('DELETE', `/contacts/${id}`)
  })

  it('refuses to start with a wrong bot, token or URL', async () => {
    const token = `o_${'x'.repeat(43)}`
    await expect(run({ token })).rejects.toThrow(/cannot be checked.*"natter token list"/)
    await expect(run({ botId: 'x' })).rejects.toThrow(/cannot be checked.*"natter bot list"/)
    await expect(run({ baseUrl: `http://127.0.0.1:${await freePort()}` })).rejects.toThrow(
      /cannot be checked.*ECONNREFUSED/,
    )
    await expect(run({ token })).rejects.not.toThrow(token)
  })
})
