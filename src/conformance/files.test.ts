import { afterAll, expect, it } from 'vitest'
import { createTestTenants } from '../platform/testing/testTenants.ts'
import { runConformance } from './conformance.ts'

const { platform, store, ours, close } = await createTestTenants()
afterAll(close)

/** Titles of the rules for files that fail on a platform that changes its responses. */
async function brokenBy(change: (response: Response, path: string) => Response): Promise<string[]> {
  const broken: string[] = []
  const fetch = async (request: Request): Promise<Response> =>
    change(await platform.fetch(request), `${request.method} ${new URL(request.url).pathname}`)
  const { bot, organizationToken: token } = ours
  const options = { baseUrl: 'http://natter.test', botId: bot.id, token, fetch, only: /^natter.files/ }
  for await (const { ok, title } of runConformance(options)) if (!ok) broken.push(title)
  return broken
}

it('our own platform follows the rules for files, with them and without', async () => {
  expect(await brokenBy(response => response)).toEqual([])
  await store.updateBot(ours.bot.id, { attachments: false })
  expect(await brokenBy(response => response)).toEqual([])
  await store.updateBot(ours.bot.id, { attachments: true })
})

it.each<[string, RegExp, (response: Response) => Response, RegExp]>([
  [
    'lets browsers show files',
    /^GET .*\/attachments\//,
    ({ body, status }) => new Response(body, { status, headers: { 'content-type': 'text/plain' } }),
    /may consist of files/,
  ],
  [
    'takes anything',
    /^PUT .*\/attachments\//,
    response => (response.status === 415 ? Response.json({ data: {} }, { status: 201 }) : response),
    /decides by their content/,
  ],
])('a platform that %s breaks one', async (_, asked, change, rule) => {
  const broken = await brokenBy((response, path) => (asked.test(path) ? change(response) : response))
  expect(broken).toEqual([expect.stringMatching(rule)])
})
