import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DoctorSetup, pageOf, startDoctorSetup } from '../platform/testing/doctorSetup.ts'
import { runDoctor } from './doctor.ts'

let setup: DoctorSetup
beforeAll(async () => {
  setup = await startDoctorSetup()
})
afterAll(() => setup.close())

/** What the doctor says of a page, with a line per check. */
async function examine(html: string): Promise<string[]> {
  setup.faults.site = (request, respond) =>
    new URL(request.url).pathname === '/' && request.headers.get('x-scheme') === 'https'
      ? new Response(html, { headers: { 'content-type': 'text/html' } })
      : respond(request)
  const lines: string[] = []
  for await (const { check, kind, found, fix } of runDoctor({
    site: 'https://shop.example/',
    fetch: setup.fetch,
    now: Date.now,
  }))
    lines.push(kind === 'ok' ? `ok ${check}: ${found}` : `${kind} ${check}: ${found}. ${fix}`)
  return lines
}

/** The lines of what is not ok. */
const examineForMistakes = async (html: string) => (await examine(html)).filter(line => !line.startsWith('ok '))

describe('natter doctor, of the tag', () => {
  it('says once that the bot is missing', async () => {
    expect(await examineForMistakes('<script src="https://chat.example/natter.js" async></script>')).toEqual([
      'failed tag: the tag has no data-bot-id. Add data-bot-id: "natter bot list" shows the ids.',
    ])
  })

  it('ignores attributes of other tools', async () => {
    const tag = `<script src="https://chat.example/natter.js" data-turbo-track="reload" data-bot-id="${setup.botId}"></script>`
    expect(await examineForMistakes(tag)).toEqual([
      expect.stringMatching(/^note token-route: the tag has no data-token-url/),
    ])
  })

  it('refuses the values that the widget refuses, and tries no token route that the widget does not ask', async () => {
    const tag = pageOf(setup.botId).replace('"/chat-token"', '"chat-token" data-theme="drak"')
    const lines = await examine(tag)
    expect(lines.filter(line => !line.startsWith('ok '))).toEqual([
      'failed tag: The option `theme` has a wrong value. See https://chat.example/docs/widget#options',
      'failed tag: The option `tokenUrl` has a wrong value. See https://chat.example/docs/widget#options',
    ])
    expect(lines.join('\n')).not.toContain('token-route')
  })

  it('notes that nobody is identified without a token route, which is no failure', async () => {
    const tag = `<script src="https://chat.example/natter.js" data-bot-id="${setup.botId}"></script>`
    expect(await examineForMistakes(tag)).toEqual([
      'note token-route: the tag has no data-token-url, so nobody is identified. Add data-token-url="/chat-token", unless the page calls login() itself.',
    ])
  })

  it('writes one script in the singular', async () => {
    const tag = `<script src="https://chat.example/natter.js" data-bot-id="${setup.botId}"></script>`
    expect(await examine(tag)).toContain('ok secrets: no organization token in the page and its 1 script')
    expect(await examine(pageOf(setup.botId))).toContain(
      'ok secrets: no organization token in the page and its 2 scripts',
    )
  })
})
