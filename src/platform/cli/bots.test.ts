import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'
import { botSettings } from './botSettings.ts'
import { UsageError } from './command.ts'

const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/

let cli: TestCli
let organization: string
beforeEach(async () => {
  cli = createTestCli()
  organization = (await cli.natter('org', 'create', '--name', 'Acme'))[0] ?? ''
})
afterEach(() => cli.remove())

const create = (...args: string[]) =>
  cli.json('bot', 'create', '--organization', organization, '--name', 'Shop', ...args)
const createdId = async (...args: string[]) => String((await create(...args))['id'])
const shown = (id: string) => cli.json('bot', 'show', id)
const stored = (id: string) => cli.inspectStore(store => store.findBot(id))

describe('natter org', () => {
  it('creates and lists organizations, as text and as JSON', async () => {
    expect(await cli.natter('org', 'list')).toEqual([`${organization}\tAcme`])
    expect(await cli.json('org', 'list')).toEqual({ id: organization, name: 'Acme', createdAt: expect.any(String) })
    expect((await cli.json('org', 'create', '--name', ' Other '))['name']).toBe('Other')
    await expect(cli.natter('org', 'create', '--name', ' ')).rejects.toThrow('--name must contain a visible character')
  })

  it('creates a database only with the first organization, readable only by its owner', async () => {
    const elsewhere = join(cli.folder, 'typo.db')
    await expect(cli.natter('org', 'list', '--database', elsewhere)).rejects.toThrow(/does not exist.*--database/)
    await expect(cli.natter('org', 'list', '--database', cli.folder)).rejects.toThrow(
      `${cli.folder} is a folder: name a file, such as ${join(cli.folder, 'natter.db')}`,
    )
    await cli.natter('org', 'create', '--name', 'x', '--database', elsewhere)
    expect(statSync(elsewhere).mode & 0o777).toBe(0o600)
    expect(await cli.natter('org', 'list', '--database', elsewhere)).toHaveLength(1)
  })
})

describe('natter bot create', () => {
  it('accepts every setting of the profile', async () => {
    const id = await createdId(
      ...[
        '--subtitle',
        'Answers at once',
        '--avatar',
        'https://shop.example/bot.png',
        '--greeting',
        'Hi\\nthere',
        '--accent',
        '#3b5bdb',
        '--locale',
        'nb-no',
      ],
      ...['--quick-reply', 'One', '--quick-reply', 'Two', '--images', 'yes'],
      ...['--ratings', 'yes', '--turns-per-day', '500'],
      ...['https://shop.example', 'https://*.shop.example:*', 'http://localhost:*', '*', 'null'].flatMap(origin => [
        '--origin',
        origin,
      ]),
    )
    expect(await shown(id)).toMatchObject({
      id,
      organizationId: organization,
      name: 'Shop',
      subtitle: 'Answers at once',
      avatar: 'https://shop.example/bot.png',
      greeting: 'Hi\nthere',
      accent: '#3b5bdb',
      locale: 'nb-NO',
      quickReplies: ['One', 'Two'],
      ...{ images: true, ratings: true },
      visitors: 'everyone',
      limits: { turnsPerDay: 500 },
      origins: ['https://shop.example', 'https://*.shop.example:*', 'http://localhost:*', '*', 'null'],
      responder: { kind: 'faq' },
      eventsUrl: null,
    })
    expect(await cli.natter('bot', 'show', id)).toEqual(
      expect.arrayContaining(['greeting\tHi\\nthere', 'quick-reply\tOne', 'quick-reply\tTwo', 'responder\tfaq']),
    )
    const bare = await cli.natter('bot', 'show', await createdId())
    expect(bare).toEqual(
      expect.arrayContaining([
        'content\tthat of "natter serve" (NATTER_CONTENT)',
        expect.stringMatching(/^origin\tnone: only "natter serve --dev"/),
      ]),
    )
    expect(cli.stderr.at(-1)).toContain("https://chat.example stands for the platform's address")
    expect(await cli.natter('bot', 'list', '--organization', organization)).toContain(
      `${id}\t${organization}\tShop\thttps://shop.example https://*.shop.example:* http://localhost:* * null`,
    )
    expect(await cli.natter('bot', 'list', '--organization', 'nobody')).toEqual([])
  })

  it('prints only the id if no secret was created, otherwise each secret once below it', async () => {
    const args = ['bot', 'create', '--organization', organization, '--name', 'Shop']
    expect(await cli.natter(...args)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
    const hooks = [
      '--responder',
      'webhook',
      '--webhook-url',
      'http://10.0.0.7:9000/turn',
      '--events-url',
      'https://crm.example',
    ]
    const [id = '', ...secrets] = await cli.natter(...args, ...hooks)
    expect(secrets).toEqual([
      expect.stringMatching(/^webhook secret\twhsec_\S+\tfor NATTER_RESPONDER_SECRET$/),
      expect.stringMatching(/^events secret\twhsec_\S+\tfor NATTER_EVENTS_SECRET$/),
    ])
    const [webhook, events] = secrets.map(line => line.split('\t')[1])
    for (const secret of [webhook, events]) expect(secret).toMatch(secretForm)
    expect(webhook).not.toBe(events)
    expect(await stored(id)).toMatchObject({ responder: { secret: webhook }, events: { secret: events } })
    const all = [...(await cli.natter('bot', 'show', id)), ...(await cli.natter('bot', 'list', '--json'))].join('\n')
    expect(all).toContain('http://10.0.0.7:9000/turn')
    expect(all).toContain('https://crm.example')
    expect(all).not.toContain('whsec_')
  })

  it('refuses invalid settings and creates no bot', async () => {
    const mistakes: [string[], RegExp][] = [
      [['--avatar', 'http://shop.example/a.png'], /--avatar must be an address such as https/],
      [['--greeting', 'x'.repeat(1001)], /--greeting must have at most 1000 characters, not "x{80}…"/],
      [['--quick-reply', 'x'.repeat(81)], /--quick-reply must have at most 80 characters/],
      [Array.from({ length: 11 }, () => ['--quick-reply', 'x']).flat(), /--quick-reply must be given 10 times at most/],
      [['--quick-reply', 'none', '--quick-reply', 'x'], /--quick-reply must be given alone/],
      [['--accent', 'red'], /--accent must be a colour/],
      [['--locale', '?'], /--locale must be a language tag/],
      [['--origin', 'https://shop.example/chat'], /--origin must be scheme, host and port without a path/],
      [['--origin', 'shop.example'], /--origin must be scheme/],
      [['--origin', 'https://a..b'], /--origin must be scheme/],
      [['--origin', 'https://*'], /--origin must have its \* before a domain/],
      [['--origin', 'https://*.example'], /--origin must have its \* before a domain/],
      [['--origin', 'https://shop.*.example'], /--origin must have its \* before a domain/],
      [['--images', 'perhaps'], /--images must be yes or no/],
      [['--visitors', 'nobody'], /--visitors must be one of everyone, contacts/],
      [['--turns-per-day', '0'], /--turns-per-day must be/],
      [['--turns-per-minute', '3001'], /--turns-per-minute must be a whole number from 1 to 3000/],
      [['--turns-per-minute', 'none'], /--turns-per-minute must be a whole number from 1 to 3000, or default/],
      [['--conversation-turns-per-minute', '0'], /--conversation-turns-per-minute must be/],
      [['--sessions-per-minute', '-1'], /--sessions-per-minute must be/],
      [['--responder', 'oracle'], /--responder must be one of faq, webhook, openai, none/],
      [['--responder', 'webhook'], /needs --webhook-url/],
      [['--responder', 'openai'], /needs --openai-model/],
      [['--webhook-url', 'https://crm.example'], /add --responder webhook/],
      [['--responder', 'webhook', '--webhook-url', 'https://me:secret@crm.example'], /--webhook-url must be/],
      [['--responder', 'webhook', '--webhook-url', 'ftp://crm.example'], /--webhook-url must be/],
      [['--responder', 'openai', '--openai-model', 'm', '--openai-history', '0'], /--openai-history must be/],
      [['--responder', 'openai', '--openai-model', 'm', '--openai-prompt', '@/nowhere'], /--openai-prompt must be/],
      [['--content', '/nowhere'], /--content must be an existing folder/],
      [['--events-url', 'crm.example'], /--events-url must be/],
    ]
    for (const [args, message] of mistakes) {
      await expect(create(...args), args.join(' ')).rejects.toThrow(UsageError)
      await expect(create(...args), args.join(' ')).rejects.toThrow(message)
    }
    const elsewhere = cli.natter('bot', 'create', '--organization', 'nobody', '--name', 'Shop')
    await expect(elsewhere).rejects.toThrow(/no organization nobody.*org list/)
    expect(await cli.natter('bot', 'list')).toEqual([])
  })
})

describe('natter bot update', () => {
  it('says who may talk to the bot, alone or with other settings', async () => {
    const id = await createdId('--visitors', 'contacts')
    expect(await stored(id)).toMatchObject({ visitors: 'contacts' })
    expect(await cli.natter('bot', 'show', id)).toContain('visitors\tcontacts')
    await cli.natter('bot', 'update', id, '--visitors', 'everyone', '--name', 'Nell')
    expect(await stored(id)).toMatchObject({ visitors: 'everyone', name: 'Nell' })
    await cli.natter('bot', 'update', id, '--visitors', 'contacts')
    await cli.natter('bot', 'update', id, '--name', 'Nat')
    expect(await stored(id)).toMatchObject({ visitors: 'contacts', name: 'Nat' })
  })

  it('changes only the given settings, and removes a setting with none', async () => {
    const id = await createdId('--accent', '#3b5bdb', '--origin', '*', '--quick-reply', 'One', '--turns-per-day', '5')
    const before = await stored(id)
    expect(await cli.natter('bot', 'update', id, '--name', 'Store')).toEqual([id])
    expect(await stored(id)).toEqual({ ...before, name: 'Store' })
    const args = [
      '--accent',
      'none',
      '--origin',
      'none',
      '--quick-reply',
      'none',
      '--turns-per-day',
      'none',
      '--locale',
      'none',
      '--greeting',
      '',
    ]
    await cli.natter('bot', 'update', id, ...args)
    const without = { accent: '', locale: '', origins: [], quickReplies: [], limits: {}, greeting: '' }
    expect(await stored(id)).toEqual({ ...before, name: 'Store', ...without })
  })

  it('gives a bot limits of its own, and takes one away without touching the others', async () => {
    const limitsOf = async (id: string) => (await stored(id))?.limits
    const id = await createdId('--turns-per-minute', '600', '--conversation-turns-per-minute', '20')
    expect(await limitsOf(id)).toEqual({ turnsPerMinute: 600, conversationTurnsPerMinute: 20 })
    const rows = async () => (await cli.natter('bot', 'show', id)).filter(line => /(turns|ons)-per-/.test(line))
    expect(await rows()).toEqual([
      'turns-per-day\tnone',
      'turns-per-minute\t600',
      'conversation-turns-per-minute\t20',
      'sessions-per-minute\tdefault',
    ])
    await cli.natter('bot', 'update', id, '--sessions-per-minute', '90', '--turns-per-minute', 'default')
    expect(await limitsOf(id)).toEqual({ conversationTurnsPerMinute: 20, sessionsPerMinute: 90 })
  })

  it('shows the settings by the names of their options', async () => {
    const args = [
      '--responder',
      'openai',
      '--openai-model',
      'm',
      '--turns-per-day',
      '5',
      '--events-url',
      'https://a.example/',
    ]
    const lines = await cli.natter('bot', 'show', await createdId(...args))
    expect(lines).toEqual(expect.arrayContaining(['quick-reply\tnone', expect.stringMatching(/^origin\tnone: /)]))
    const names = lines.map(line => line.split('\t')[0] ?? '')
    const options = ['organization', ...botSettings.map(({ option }) => option.name())]
    expect(names.filter(name => !options.includes(name))).toEqual(['id', 'created-at', 'script-tag'])
    expect(names).toEqual(expect.arrayContaining(['openai-base-url', 'openai-history', 'turns-per-day', 'events-url']))
  })

  it('switches between responders, and keeps settings of the same kind that are not given', async () => {
    const id = await createdId()
    const update = (...args: string[]) => cli.json('bot', 'update', id, ...args)
    const responder = async () => (await stored(id))?.responder
    const folder = join(cli.folder, '.')
    await update('--content', folder)
    expect(await responder()).toEqual({ kind: 'faq', content: cli.folder })
    await update('--content', 'none')
    expect(await responder()).toEqual({ kind: 'faq' })

    const { webhookSecret } = await update('--responder', 'webhook', '--webhook-url', 'https://a.example/')
    expect(webhookSecret).toMatch(secretForm)
    expect(await update('--webhook-url', 'https://b.example/')).toEqual({ id })
    const webhook = { kind: 'webhook', url: 'https://b.example/', secret: webhookSecret }
    expect(await responder()).toEqual(webhook)

    const prompt = join(cli.folder, 'prompt.txt')
    writeFileSync(prompt, 'Be brief.\n')
    await expect(update('--openai-model', 'm')).rejects.toThrow(/this bot's is webhook: add --responder openai/)
    await update('--responder', 'openai', '--openai-model', 'm', '--openai-prompt', `@${prompt}`)
    const settings = { baseUrl: 'https://api.openai.com/v1', model: 'm', prompt: 'Be brief.', history: 20 }
    const first = { kind: 'openai', ...settings, unused: [webhook] }
    expect(await responder()).toEqual(first)
    await update('--openai-base-url', 'http://127.0.0.1:11434/v1', '--openai-history', '4')
    expect(await responder()).toEqual({ ...first, baseUrl: 'http://127.0.0.1:11434/v1', history: 4 })
    expect(cli.stderr).toEqual([
      expect.stringMatching(/^natter: created the database .*natter\.db\n$/),
      'natter: kept, but not in use now: webhook-url. "natter bot show" shows them.\n',
      'natter: "natter serve" calls https://api.openai.com/v1 without a key: set NATTER_OPENAI_API_KEY, or give the bot a key with --openai-key-file.\n',
    ])
  })

  it('keeps prompt, webhook and content of the former responders, and shows that they are not in use', async () => {
    const id = await createdId('--content', cli.folder)
    const update = (...args: string[]) => cli.json('bot', 'update', id, ...args)
    const { webhookSecret } = await update('--responder', 'webhook', '--webhook-url', 'https://a.example/')
    await update('--responder', 'openai', '--openai-model', 'm', '--openai-prompt', 'Be brief.')
    await update('--responder', 'none')
    const kept = 'openai-base-url, openai-model, openai-prompt, openai-history, openai-key-file, webhook-url, content'
    expect(cli.stderr.at(-1)).toBe(`natter: kept, but not in use now: ${kept}. "natter bot show" shows them.\n`)
    const rows = await cli.natter('bot', 'show', id)
    expect(rows).toEqual(
      expect.arrayContaining([
        'responder\tnone',
        'openai-prompt (not in use)\tBe brief.',
        'webhook-url (not in use)\thttps://a.example/',
        `content (not in use)\t${cli.folder}`,
      ]),
    )
    const shown = [...rows, ...(await cli.natter('bot', 'show', id, '--json'))].join('\n')
    expect(shown).not.toContain('whsec_')
    expect(await update('--responder', 'webhook')).toEqual({ id })
    expect((await stored(id))?.responder).toMatchObject({ url: 'https://a.example/', secret: webhookSecret })
    await update('--responder', 'openai')
    expect((await stored(id))?.responder).toMatchObject({ model: 'm', prompt: 'Be brief.' })
    await update('--responder', 'faq', '--content', 'none')
    expect((await stored(id))?.responder).toMatchObject({
      kind: 'faq',
      unused: [{ kind: 'openai' }, { kind: 'webhook' }],
    })
  })

  it('reports missing options', async () => {
    const id = await createdId()
    await expect(cli.natter('bot', 'update', id)).rejects.toThrow(/the settings to change/)
    await expect(cli.natter('bot', 'update', 'nobody', '--name', 'x')).rejects.toThrow(/no bot nobody.*bot list/)
    await expect(cli.natter('bot', 'show', 'nobody')).rejects.toThrow(/no bot nobody/)
  })
})

describe('natter bot secret', () => {
  it('replaces a webhook secret and keeps the old one for a day, if there is one', async () => {
    const made = await create('--responder', 'webhook', '--webhook-url', 'https://a.example/')
    const id = String(made['id'])
    const [secret] = await cli.natter('bot', 'secret', id, '--rotate', 'webhook')
    expect(secret).toMatch(secretForm)
    expect(secret).not.toBe(made['webhookSecret'])
    const until = new Date(cli.clock.now() + 24 * 60 * 60 * 1000).toISOString()
    const former = { secret: made['webhookSecret'], until }
    expect((await stored(id))?.responder).toEqual({ kind: 'webhook', url: 'https://a.example/', secret, former })
    expect((await cli.natter('bot', 'show', id)).join()).not.toContain('whsec_')
    expect((await cli.natter('bot', 'show', id, '--json')).join()).not.toContain('whsec_')
    await expect(cli.natter('bot', 'secret', id, '--rotate', 'events')).rejects.toThrow(/no events address.*bot update/)
    const { eventsSecret } = await cli.json('bot', 'update', id, '--events-url', 'https://b.example/')
    const [rotated] = await cli.natter('bot', 'secret', id, '--rotate', 'events')
    expect(rotated).not.toBe(eventsSecret)
    await cli.natter('bot', 'update', id, '--events-url', 'https://c.example/')
    const secrets = { secret: rotated, former: { secret: eventsSecret, until } }
    expect((await stored(id))?.events).toEqual({ url: 'https://c.example/', ...secrets })
    const printed = await cli.json('bot', 'secret', id, '--rotate', 'events')
    expect(printed).toEqual({ id, secret: (await stored(id))?.events?.secret })
  })
})
