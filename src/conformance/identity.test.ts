import { afterAll, describe, expect, it } from 'vitest'
import { createTestTenants } from '../platform/testing/testTenants.ts'
import { runConformance } from './conformance.ts'

const { platform, ours, close } = await createTestTenants({ rateLimit: 0 })
afterAll(close)

type Ask = (request: Request) => Promise<Response>
const ask: Ask = async request => platform.fetch(request)

/** Titles of the rules that match and fail on a platform that answers like this. */
async function broken(fetch: Ask, only: RegExp): Promise<string[]> {
  const { bot, organizationToken: token } = ours
  const options = { baseUrl: 'http://natter.test', botId: bot.id, token, fetch, only }
  const titles: string[] = []
  for await (const { ok, title } of runConformance(options)) if (!ok) titles.push(title)
  return titles
}

/** Answers requests with another status where they would be refused with 400. */
const accepting =
  (asked: RegExp, status: number): Ask =>
  async request => {
    const response = await ask(request)
    const isAsked = asked.test(`${request.method} ${request.url}`)
    return isAsked && response.status === 400 ? new Response(null, { status }) : response
  }

describe('the rules for identity and context', () => {
  it.each<[string, Ask, RegExp]>([
    [
      'creates a token for a year, although it was asked for one of five minutes',
      async request => {
        if (!request.url.endsWith('/auth/contacts')) return ask(request)
        const body = (await request.text()).replace(/,"expiresInSeconds":300\b/, '')
        const { method, url, headers } = request
        return ask(new Request(url, { method, headers, body }))
      },
      /expiresInSeconds shortens the life of a token/,
    ],
    [
      'searches for an email as for any text',
      request => ask(new Request(request.url.replace('?email=', '?query='), request)),
      /email finds only the contact with exactly that email/,
    ],
    [
      'keeps attributes as they were',
      async request => {
        const isWrite = request.method === 'PUT' && request.url.endsWith('/attributes')
        return isWrite ? new Response(null, { status: 204 }) : ask(request)
      },
      /setting attributes replaces all of them/,
    ],
    ['has no limits of attributes', accepting(/^PUT .*\/attributes$/, 204), /invalid attributes return 400/],
    [
      'has no limits of the context',
      accepting(/^POST .*\/widget\/messages$/, 201),
      /the context of a message has the limits of attributes/,
    ],
  ])('hold on our own platform, and fail on one that %s', async (_, fetch, rule) => {
    expect(await broken(ask, rule)).toEqual([])
    expect(await broken(fetch, rule)).toEqual([expect.stringMatching(rule)])
  })
})
