import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { timestamp } from '../platform/domain/time.ts'
import { createTestTenants } from '../platform/testing/testTenants.ts'
import { runConformance } from './conformance.ts'

const { platform, store, clock, ours, close } = await createTestTenants()
afterAll(close)

/** Titles of the widget rules that fail on a platform that changes responses to requests of the given path. */
async function brokenBy(path: RegExp, change: (response: Response, text: string) => Response): Promise<string[]> {
  const broken: string[] = []
  const fetch = async (request: Request): Promise<Response> => {
    const response = await platform.fetch(request)
    if (!path.test(`${request.method} ${request.url}`)) return response
    // A stream does not end by itself.
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    return change(response, isStream ? '' : await response.text())
  }
  const { bot, organizationToken: token } = ours
  const options = { baseUrl: 'http://natter.test', botId: bot.id, token, fetch, only: /^natter.widget/ }
  for await (const { ok, title } of runConformance(options)) if (!ok) broken.push(title)
  return broken
}
const rewritten = (response: Response, text: string, headers: Record<string, string> = {}): Response =>
  new Response(response.status === 204 ? null : text, {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), ...headers },
  })

describe('the rules for the widget API', () => {
  it('pass on our own platform', async () => {
    expect(await brokenBy(/^$/, response => response)).toEqual([])
  })

  it('pass where the bot talks to contacts only, and fail where it then starts an anonymous session', async () => {
    const setVisitors = (visitors: 'everyone' | 'contacts') =>
      store.setVisitors(ours.bot.id, visitors, timestamp(clock.now()))
    await setVisitors('contacts')
    onTestFinished(async () => void (await setVisitors('everyone')))
    expect(await brokenBy(/^$/, response => response)).toEqual([])
    const start = () => Response.json({ data: { token: `v:${'0'.repeat(64)}` } }, { status: 201 })
    expect(await brokenBy(/^POST .*\/widget\/sessions$/, start)).toEqual([
      expect.stringMatching(/a bot for contacts only creates no anonymous session/),
    ])
  })

  it.each<[string, RegExp, (answer: Response, text: string) => Response, RegExp]>([
    [
      'answers with the nonce of another request',
      /^POST .*\/messages\/list$/,
      (response, text) => rewritten(response, text.replace(/"nonce":"[^"]*"/, '"nonce":"0123456789abcdef"')),
      /the response has the nonce/,
    ],
    [
      'opens a stream without a word of the nonce',
      /^POST .*\/events\/stream$/,
      (response, text) => (response.ok ? rewritten(response, 'event: reset\ndata: {}\n\n') : rewritten(response, text)),
      /an event stream by POST begins with the nonce/,
    ],
    [
      'takes any nonce',
      /^POST .*\/session\/retrieve$/,
      (response, text) => (response.status === 400 ? new Response('{"data":{}}') : rewritten(response, text)),
      /a nonce is 16 to 64 characters/,
    ],
    [
      'varies by origin alone',
      /^HEAD .*\/widget\/messages$/,
      (response, text) => rewritten(response, text, { vary: 'Origin' }),
      /responses with personal data vary by Authorization and Origin/,
    ],
    [
      'says 401 without why',
      /^GET .*\/widget\/session$/,
      (response, text) => (response.status === 401 ? new Response('', { status: 401 }) : rewritten(response, text)),
      /the 401 for a token says why/,
    ],
    [
      'allows fixed request headers',
      /^OPTIONS /,
      (response, text) => rewritten(response, text, { 'access-control-allow-headers': 'authorization, content-type' }),
      /a preflight allows the requested headers/,
    ],
  ])('fail on a platform that %s', async (_, path, change, rule) => {
    expect(await brokenBy(path, change)).toEqual([expect.stringMatching(rule)])
  })
})
