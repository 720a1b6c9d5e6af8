import { beforeEach, describe, expect, it } from 'vitest'
import type { BotSettings, BotUpdate } from '../../contract/deskBots.ts'
import { createMember, type TestMember } from '../testing/createMember.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
let admin: TestMember
let path: string
beforeEach(async () => {
  tenants = await createTestTenants()
  admin = await createMember(tenants, { role: 'admin' })
  path = `/bots/${tenants.ours.bot.id}`
})
const change = (json: BotUpdate) => admin.call('PATCH', path, { json })
const openai = {
  kind: 'openai',
  baseUrl: 'https://model.example/v1',
  model: 'm',
  prompt: 'Be brief.',
  history: 4,
} as const
const webhook = { kind: 'webhook', url: 'https://hook.example/?key=hunter2', secret: 'whsec_hunter2' } as const

describe('the settings of a bot', () => {
  it('are changed by an admin one by one, and the widget gets them at once', async () => {
    const before = await dataOf<BotSettings>(admin.call('GET', path))
    const origins = ['https://Shop.example:443/', 'https://*.shop.example']
    const changes = { name: ' Store ', accent: '#3b5bdb', quickReplies: ['Prices'], texts: { unknown: 'No idea.' } }
    const after = { ...before, ...changes, name: 'Store', origins: ['https://shop.example', 'https://*.shop.example'] }
    expect(await dataOf(change({ ...changes, origins }))).toEqual(after)
    expect(await dataOf(change({ ratings: !before.ratings, texts: {} }))).toEqual({
      ...after,
      ratings: !before.ratings,
      texts: {},
    })
    expect(await dataOf(admin.call('GET', path))).toMatchObject({ name: 'Store', texts: {} })
    const headers = { origin: 'https://shop.example' }
    expect(await dataOf(tenants.ours.call('GET', '/widget', { headers }))).toMatchObject({ name: 'Store' })
  })

  it('are refused by the checks of the command line, each mistake at its field', async () => {
    const quickReplies = ['fine', 'x'.repeat(81)]
    const mistakes: BotUpdate = { name: '', quickReplies, origins: ['shop.example'], texts: { hello: 'Hi!' } }
    const response = await change({ ...mistakes, subtitle: 'fine' })
    const { errors } = (await response.json()) as { errors: { pointer: string; code: string }[] }
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/name too_short',
      '/quickReplies/1 too_long',
      '/origins/0 invalid_format',
      '/texts/hello invalid_format',
    ])
    expect((await dataOf<BotSettings>(admin.call('GET', path))).subtitle).not.toBe('fine')
  })

  it('have no secrets in them, and a changed prompt keeps those of the bot', async () => {
    const { id } = tenants.ours.bot
    const events = { url: webhook.url, secret: 'whsec_hunter2' }
    const responder = { ...openai, apiKey: 'hunter2', unused: [webhook] }
    await tenants.store.updateBot(id, { responder, events })
    const response = await change({ prompt: ' Be kind. ' })
    const text = await response.clone().text()
    expect(await dataOf(response)).toMatchObject({ responder: 'openai', prompt: 'Be kind.' })
    expect(text).not.toContain('hunter2')
    const bot = await tenants.store.findBot(id)
    expect(bot).toMatchObject({ responder: { ...responder, prompt: 'Be kind.' }, events })
    expect((await change({ prompt: '長'.repeat(32_000) })).status).toBe(200)
  })

  it('have a prompt only while the responder has one', async () => {
    expect(await dataOf(admin.call('GET', path))).toMatchObject({ prompt: null })
    expect(await outcomeOf(change({ prompt: 'Be kind.', name: 'Store' }))).toBe('400 invalid_request')
    expect(await dataOf(admin.call('GET', path))).not.toMatchObject({ name: 'Store' })
  })

  it('of another organization, or of no bot, are the one 404', async () => {
    const { organizationId } = tenants.otherOrganization.bot
    const foreign = await createMember(tenants, { role: 'admin', organizationId })
    for (const [member, botPath] of [
      [foreign, path],
      [admin, '/bots/x'],
      [admin, '/bots/%00'],
    ] as const)
      for (const [method, options] of [
        ['GET', {}],
        ['PATCH', { json: { name: 'Store' } }],
      ] as const)
        expect(await outcomeOf(member.call(method, botPath, options))).toBe('404 not_found')
  })
})
