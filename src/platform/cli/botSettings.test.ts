import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'
import { settingOptions } from './botSettings.ts'

let cli: TestCli
beforeEach(async () => {
  cli = await createTestCli()
})
const shownRows = async (id: string, name: RegExp) =>
  (await cli.natter('bot', 'show', id)).filter(line => name.test(line.split('\t')[0] ?? ''))
/** Expects an update to be refused, and to have changed nothing. */
async function expectRefused(id: string, mistakes: [string[], RegExp][]) {
  const before = await cli.storedBot(id)
  for (const [args, message] of mistakes)
    await expect(cli.updateBot(id, ...args), args.join(' ')).rejects.toThrow(message)
  expect(await cli.storedBot(id)).toEqual(before)
}

describe('natter bot update', () => {
  it('changes only the given settings, and removes a setting with none', async () => {
    const settings = '--visitors contacts --accent #3b5bdb --origin * --quick-reply One --turns-per-day 5'
    const { id } = await cli.createBot(...settings.split(' '))
    const before = await cli.storedBot(id)
    expect(before?.visitors).toBe('contacts')
    expect(await shownRows(id, /^visitors$/)).toEqual(['visitors\tcontacts'])
    expect(await cli.natter('bot', 'update', id, '--name', 'Store')).toEqual([id])
    expect(await cli.storedBot(id)).toEqual({ ...before, name: 'Store' })
    const none = '--accent none --origin none --quick-reply none --turns-per-day none --locale none'
    await cli.updateBot(id, ...none.split(' '), '--greeting', '', '--visitors', 'everyone')
    const without = { accent: '', locale: '', origins: [], quickReplies: [], limits: {}, greeting: '' }
    const changed = { ...before, name: 'Store', ...without, visitors: 'everyone' }
    expect(await cli.storedBot(id)).toEqual(changed)
    await cli.updateBot(id, '--visitors', 'contacts')
    expect(await cli.storedBot(id)).toEqual({ ...changed, visitors: 'contacts' })
  })

  it('gives a bot limits of its own, and takes one away without touching the others', async () => {
    const limitsOf = async (id: string) => (await cli.storedBot(id))?.limits
    const { id } = await cli.createBot('--turns-per-minute', '600', '--conversation-turns-per-minute', '20')
    expect(await limitsOf(id)).toEqual({ turnsPerMinute: 600, conversationTurnsPerMinute: 20 })
    expect(await shownRows(id, /(turns|ons)-per-/)).toEqual([
      'turns-per-day\tnone',
      'turns-per-minute\t600',
      'conversation-turns-per-minute\t20',
      'sessions-per-minute\tdefault',
    ])
    await cli.updateBot(id, '--sessions-per-minute', '90', '--turns-per-minute', 'default')
    expect(await limitsOf(id)).toEqual({ conversationTurnsPerMinute: 20, sessionsPerMinute: 90 })
  })

  it('shows the settings by the names of their options', async () => {
    const settings = '--responder openai --openai-model m --turns-per-day 5 --events-url https://a.example/'
    const { id } = await cli.createBot(...settings.split(' '))
    const names = (await cli.natter('bot', 'show', id)).map(line => line.split('\t')[0] ?? '')
    const options = ['organization', ...settingOptions.map(option => option.name())]
    expect(names.filter(name => !options.includes(name))).toEqual(['id', 'created-at', 'script-tag'])
    expect(names).toEqual(expect.arrayContaining(['openai-base-url', 'openai-history', 'turns-per-day', 'events-url']))
  })

  it('keeps the changes of commands that run at once', async () => {
    const { id } = await cli.createBot(...'--responder webhook --webhook-url https://a.example/'.split(' '))
    const [[secret]] = await Promise.all([
      cli.natter('bot', 'secret', id, '--rotate', 'webhook'),
      cli.updateBot(id, '--webhook-url', 'https://b.example/'),
      cli.updateBot(id, '--turns-per-day', '5'),
      cli.updateBot(id, '--turns-per-minute', '6'),
    ])
    const { limits, responder } = (await cli.storedBot(id)) ?? {}
    expect(limits).toEqual({ turnsPerDay: 5, turnsPerMinute: 6 })
    expect(responder).toMatchObject({ url: 'https://b.example/', secret })
  })
})

describe('the responder of a bot', () => {
  const responderOf = async (id: string) => (await cli.storedBot(id))?.responder

  it('is switched, and keeps settings of the same kind that are not given', async () => {
    const { id } = await cli.createBot()
    const update = (...args: string[]) => cli.updateBot(id, ...args)
    await update('--content', join(cli.folder, '.'))
    expect(await responderOf(id)).toEqual({ kind: 'faq', content: cli.folder })
    const contentUrl = 'https://shop.example/help/'
    await update('--content-url', contentUrl)
    expect(await responderOf(id)).toEqual({ kind: 'faq', content: cli.folder, contentUrl })
    for (const wrong of ['http://shop.example/', 'https://shop.example/?page=', 'help'])
      await expect(update('--content-url', wrong)).rejects.toThrow(/must be an https address such as/)
    await update('--content', 'none', '--content-url', 'none')
    expect(await responderOf(id)).toEqual({ kind: 'faq' })

    const { webhookSecret } = await update('--responder', 'webhook', '--webhook-url', 'https://a.example/')
    expect(await update('--webhook-url', 'https://b.example/')).toEqual({ id })
    const webhook = { kind: 'webhook', url: 'https://b.example/', secret: webhookSecret }
    expect(await responderOf(id)).toEqual(webhook)

    const prompt = join(cli.folder, 'prompt.txt')
    writeFileSync(prompt, 'Be brief.\n')
    await expect(update('--openai-model', 'm')).rejects.toThrow(/this bot's is webhook: add --responder openai/)
    await update('--responder', 'openai', '--openai-model', 'm', '--openai-prompt', `@${prompt}`)
    const settings = { baseUrl: 'https://api.openai.com/v1', model: 'm', prompt: 'Be brief.', history: 20 }
    const first = { kind: 'openai', ...settings, unused: [webhook] }
    expect(await responderOf(id)).toEqual(first)
    await update('--openai-base-url', 'http://127.0.0.1:11434/v1', '--openai-history', '4')
    expect(await responderOf(id)).toEqual({ ...first, baseUrl: 'http://127.0.0.1:11434/v1', history: 4 })
    expect(cli.stderr).toEqual([
      expect.stringMatching(/^natter: created the database .*natter\.db\n$/),
      'natter: kept, but not in use now: webhook-url. "natter bot show" shows them.\n',
      'natter: "natter serve" calls https://api.openai.com/v1 without a key: set NATTER_OPENAI_API_KEY, or give the bot a key with --openai-key-file.\n',
    ])
  })

  it('is replaced without losing prompt, webhook and content of the former ones, which are shown as not in use', async () => {
    const { id } = await cli.createBot('--content', cli.folder)
    const update = (...args: string[]) => cli.updateBot(id, ...args)
    const { webhookSecret } = await update('--responder', 'webhook', '--webhook-url', 'https://a.example/')
    await update('--responder', 'openai', '--openai-model', 'm', '--openai-prompt', 'Be brief.')
    await update('--responder', 'none')
    const kept = 'openai-base-url, openai-model, openai-prompt, openai-history, webhook-url, content'
    expect(cli.stderr.at(-1)).toBe(`natter: kept, but not in use now: ${kept}. "natter bot show" shows them.\n`)
    expect(await shownRows(id, /^responder|prompt|url \(|content/)).toEqual([
      'responder\tnone',
      `content (not in use)\t${cli.folder}`,
      'webhook-url (not in use)\thttps://a.example/',
      'openai-base-url (not in use)\thttps://api.openai.com/v1',
      'openai-prompt (not in use)\tBe brief.',
    ])
    const shown = [...(await cli.natter('bot', 'show', id)), ...(await cli.natter('bot', 'show', id, '--json'))]
    expect(shown.join()).not.toContain('whsec_')
    expect(await update('--responder', 'webhook')).toEqual({ id })
    expect(await responderOf(id)).toMatchObject({ url: 'https://a.example/', secret: webhookSecret })
    await update('--responder', 'openai')
    expect(await responderOf(id)).toMatchObject({ model: 'm', prompt: 'Be brief.' })
    expect(await responderOf(id)).not.toHaveProperty('content')
    await update('--content', cli.folder)
    expect(await responderOf(id)).toMatchObject({ kind: 'openai', model: 'm', content: cli.folder })
    await update('--content', 'none')
    expect(await responderOf(id)).not.toHaveProperty('content')
    await update('--responder', 'faq', '--content', 'none')
    expect(await responderOf(id)).toMatchObject({ kind: 'faq', unused: [{ kind: 'openai' }, { kind: 'webhook' }] })
  })
})

it('the events webhook of a bot keeps its secret and authors when the URL changes, and loses them with none', async () => {
  const { id } = await cli.createBot()
  const eventsOf = async () => (await cli.storedBot(id))?.events
  const { eventsSecret } = await cli.updateBot(id, '--events-url', 'https://a.example/', '--events-authors', 'all')
  expect(await cli.updateBot(id, '--events-url', 'https://b.example/')).toEqual({ id })
  const webhook = { url: 'https://b.example/', secret: eventsSecret }
  expect(await eventsOf()).toEqual({ ...webhook, authors: 'all' })
  expect(await shownRows(id, /^events-authors$/)).toEqual(['events-authors\tall'])
  await cli.updateBot(id, '--events-authors', 'visitors')
  expect(await eventsOf()).toEqual(webhook)
  expect(await cli.json('bot', 'show', id)).toMatchObject({ eventsAuthors: 'visitors' })
  await expectRefused(id, [
    [['--events-url', 'none', '--events-authors', 'all'], /--events-authors needs an address.*--events-url/],
  ])
  await cli.updateBot(id, '--events-url', 'none')
  expect(await eventsOf()).toBeNull()
})

describe('the origins of a bot', () => {
  const originsOf = async (id: string) => (await cli.json('bot', 'show', id))['origins']

  it('are added and removed one by one, and the others stay', async () => {
    const { id } = await cli.createBot('--origin', 'https://a.example')
    await cli.updateBot(id, '--add-origin', 'https://b.example', '--add-origin', 'https://c.example')
    await cli.updateBot(id, '--add-origin', 'https://b.example', '--remove-origin', 'https://a.example')
    expect(await originsOf(id)).toEqual(['https://b.example', 'https://c.example'])
  })

  it('are stored as browsers send them, those of apps too', async () => {
    const written = ['https://Shop.Example:443/', 'https://*.bücher.example:*/', 'capacitor://localhost']
    const { id } = await cli.createBot(...written.flatMap(origin => ['--origin', origin]))
    const stored = ['https://shop.example', 'https://*.xn--bcher-kva.example:*', 'capacitor://localhost']
    expect(await originsOf(id)).toEqual(stored)
    await cli.updateBot(id, '--remove-origin', 'https://shop.example/')
    expect(await originsOf(id)).toHaveLength(2)
  })

  it('are not changed by a mistake', async () => {
    const { id } = await cli.createBot('--origin', 'https://a.example')
    await expectRefused(id, [
      [['--remove-origin', 'https://b.example'], /not have the origin https:\/\/b\.example.*has: https:\/\/a\.example/],
      [['--add-origin', 'none'], /--add-origin must be scheme/],
      [
        ['--add-origin', 'https://b.example', '--origin', 'https://c.example'],
        /'--origin <ORIGIN>' cannot be used with option '--add-origin <ORIGIN>'/,
      ],
    ])
  })
})

describe('the texts of a bot', () => {
  const textsOf = async (id: string) => (await cli.storedBot(id))?.texts

  it('are replaced one by one, and a replacement is taken away without touching the others', async () => {
    const own = ['--text', 'unknown=I don’t know = no idea.\\nSorry!', '--text', 'hello=Hi, {name}!']
    const { id } = await cli.createBot(...own)
    expect(await textsOf(id)).toEqual({ unknown: 'I don’t know = no idea.\nSorry!', hello: 'Hi, {name}!' })
    const rows = ['text\tunknown=I don’t know = no idea.\\nSorry!', 'text\thello=Hi, {name}!']
    expect(await shownRows(id, /^text$/)).toEqual(rows)
    await cli.updateBot(id, '--text', 'unknown=none', '--text', 'person=Ask Ada')
    expect(await textsOf(id)).toEqual({ hello: 'Hi, {name}!', person: 'Ask Ada' })
    expect((await cli.json('bot', 'show', id))['texts']).toEqual({ hello: 'Hi, {name}!', person: 'Ask Ada' })
    await cli.updateBot(id, '--text', 'hello=none', '--text', 'person=none')
    expect(await shownRows(id, /^text$/)).toEqual(['text\tnone'])
  })

  it('are not changed by a mistake', async () => {
    const { id } = await cli.createBot('--text', 'unknown=No idea.')
    const mistakes: [string, RegExp][] = [
      ['unkown=x', /--text must be KEY=TEXT, and KEY one of hello, .*unknown, .*noMoreToday, not "unkown=x"/],
      ['greeting=x', /--text must be KEY=TEXT/],
      ['No idea.', /--text must be KEY=TEXT/],
      ['unknown=', /--text must not be empty/],
      [`unknown=${'x'.repeat(1001)}`, /--text must have at most 1000 characters/],
      [`person=${'x'.repeat(81)}`, /--text must have at most 80 characters/],
      ['hello=Hi!', /--text must contain {name}/],
    ]
    await expectRefused(
      id,
      mistakes.map(([text, message]) => [['--text', text], message]),
    )
  })
})

describe('the hours of a bot', () => {
  const hoursOf = async (id: string) => (await cli.storedBot(id))?.hours

  it('are given for days, with a time zone and holidays, changed one by one, and taken away', async () => {
    const { id } = await cli.createBot()
    expect(await hoursOf(id)).toBeNull()
    expect(await shownRows(id, /^(hours|time-zone|holiday)$/)).toEqual([
      'hours\tnone',
      'time-zone\tnone',
      'holiday\tnone',
    ])
    const given = ['--hours', 'Mon-Tue 9-17:30, sat 22:00-6:00, Sun 0:00-24:00', '--time-zone', 'Europe/Berlin']
    await cli.updateBot(id, ...given, '--holiday', '2030-12-25', '--holiday', '2030-12-26')
    const week = { mon: '09:00-17:30', tue: '09:00-17:30', sat: '22:00-06:00', sun: '00:00-00:00' }
    const holidays = ['2030-12-25', '2030-12-26']
    expect(await hoursOf(id)).toEqual({ week, timeZone: 'Europe/Berlin', holidays })
    const [shown] = await shownRows(id, /^hours$/)
    expect(shown).toBe('hours\tmon 09:00-17:30, tue 09:00-17:30, sat 22:00-06:00, sun 00:00-00:00')
    await cli.updateBot(id, '--holiday', 'none', '--hours', 'Fri-Mon 8-12')
    const weekend = { fri: '08:00-12:00', sat: '08:00-12:00', sun: '08:00-12:00', mon: '08:00-12:00' }
    expect(await hoursOf(id)).toEqual({ week: weekend, timeZone: 'Europe/Berlin', holidays: [] })
    // What is shown can be given again.
    await cli.updateBot(id, '--hours', shown?.split('\t')[1] ?? '')
    expect(await hoursOf(id)).toMatchObject({ week })
    await cli.updateBot(id, '--hours', 'none')
    expect(await hoursOf(id)).toBeNull()
  })

  it('are not changed by a mistake', async () => {
    const { id } = await cli.createBot('--hours', 'Mon 9-17', '--time-zone', 'UTC')
    const mistakes: [string[], RegExp][] = [
      [['--hours', '9-17'], /--hours must be days and times such as "Mon-Fri 9:00-17:00, Sat 10:00-14:00", or none/],
      [['--hours', 'Mon-Fry 9-17'], /--hours must be days and times/],
      [['--hours', 'Mon 9-25'], /--hours must be two times such as 09:00-17:00/],
      [['--hours', 'Mon-Fri 9-12, Mon 13-17'], /--hours must have each day once: mon has two times/],
      [['--time-zone', 'Berlin'], /--time-zone must be a time zone such as Europe\/Berlin/],
      [['--holiday', '2030-02-30'], /--holiday must be a date such as 2030-12-25/],
    ]
    await expectRefused(id, mistakes)
    const { id: without } = await cli.createBot()
    await expectRefused(without, [
      [['--hours', 'Mon 9-17'], /The hours of a bot need --time-zone, too/],
      [['--holiday', '2030-12-25'], /The hours of a bot need --hours, too/],
    ])
  })
})
