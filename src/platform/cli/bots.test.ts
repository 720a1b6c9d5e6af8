import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'
import { UsageError } from './command.ts'

const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/

let cli: TestCli
beforeEach(async () => {
  cli = await createTestCli()
})
const create = (...args: string[]) =>
  cli.natter('bot', 'create', '--organization', cli.organization, '--name', 'Shop', ...args)

describe('natter org', () => {
  it('creates and lists organizations, as text and as JSON', async () => {
    const { organization } = cli
    expect(await cli.natter('org', 'list')).toEqual([`${organization}\tAcme`])
    expect(await cli.json('org', 'list')).toEqual({ id: organization, name: 'Acme', createdAt: expect.any(String) })
    expect((await cli.json('org', 'create', '--name', ' Other '))['name']).toBe('Other')
    await expect(cli.natter('org', 'create', '--name', ' ')).rejects.toThrow('--name must contain a visible character')
  })

  it('creates a database only with the first organization, readable only by its owner', async () => {
    const elsewhere = join(cli.folder, 'typo.db')
    await expect(cli.natter('org', 'list', '--database', elsewhere)).rejects.toThrow(/does not exist.*--database/)
    await cli.natter('org', 'create', '--name', 'x', '--database', elsewhere)
    expect(statSync(elsewhere).mode & 0o777).toBe(0o600)
    expect(await cli.natter('org', 'list', '--database', elsewhere)).toHaveLength(1)
  })
})

describe('natter bot create', () => {
  it('accepts every setting of the profile', async () => {
    const origins = ['https://shop.example', 'https://*.shop.example:*', 'http://localhost:*', '*', 'null']
    const { id } = await cli.createBot(
      ...['--subtitle', 'Answers at once', '--avatar', 'https://shop.example/bot.png', '--greeting', 'Hi\\nthere'],
      ...'--accent #3b5bdb --locale nb-no --quick-reply One --quick-reply Two'.split(' '),
      ...'--images yes --ratings yes --erase-by-visitor yes --turns-per-day 500'.split(' '),
      ...origins.flatMap(origin => ['--origin', origin]),
    )
    expect(await cli.json('bot', 'show', id)).toMatchObject({
      ...{ id, organizationId: cli.organization, name: 'Shop', subtitle: 'Answers at once' },
      ...{ avatar: 'https://shop.example/bot.png', greeting: 'Hi\nthere', accent: '#3b5bdb', locale: 'nb-NO' },
      ...{ quickReplies: ['One', 'Two'], images: true, ratings: true, eraseByVisitor: true, visitors: 'everyone' },
      ...{ limits: { turnsPerDay: 500 }, origins, responder: { kind: 'faq' }, eventsUrl: null },
    })
    expect(await cli.natter('bot', 'show', id)).toEqual(
      expect.arrayContaining(['greeting\tHi\\nthere', 'quick-reply\tOne', 'quick-reply\tTwo', 'responder\tfaq']),
    )
    expect(await cli.natter('bot', 'show', (await cli.createBot()).id)).toEqual(
      expect.arrayContaining([
        ...['content\tthat of "natter serve" (NATTER_CONTENT)', 'quick-reply\tnone'],
        expect.stringMatching(/^origin\tnone: only "natter serve --dev"/),
      ]),
    )
    expect(cli.stderr.at(-1)).toContain("https://chat.example stands for the platform's address")
    expect(await cli.natter('bot', 'list', '--organization', cli.organization)).toContain(
      `${id}\t${cli.organization}\tShop\t${origins.join(' ')}`,
    )
    expect(await cli.natter('bot', 'list', '--organization', 'nobody')).toEqual([])
  })

  it('prints only the id if no secret was created, otherwise each secret once below it', async () => {
    expect(await create()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
    const hooks = '--responder webhook --webhook-url http://10.0.0.7:9000/turn --events-url https://crm.example'
    const [id = '', ...secrets] = await create(...hooks.split(' '))
    expect(secrets).toEqual([
      expect.stringMatching(/^webhook secret\twhsec_\S+\tfor NATTER_RESPONDER_SECRET$/),
      expect.stringMatching(/^events secret\twhsec_\S+\tfor NATTER_EVENTS_SECRET$/),
    ])
    const [webhook, events] = secrets.map(line => line.split('\t')[1])
    for (const secret of [webhook, events]) expect(secret).toMatch(secretForm)
    expect(webhook).not.toBe(events)
    expect(await cli.storedBot(id)).toMatchObject({ responder: { secret: webhook }, events: { secret: events } })
    const all = [...(await cli.natter('bot', 'show', id)), ...(await cli.natter('bot', 'list', '--json'))].join('\n')
    expect(all).toContain('http://10.0.0.7:9000/turn')
    expect(all).toContain('https://crm.example')
    expect(all).not.toContain('whsec_')
  })

  it('prints the script tag with the accent of the bot, beside the id that scripts read', async () => {
    cli.environment['NATTER_BASE_URL'] = 'https://talk.example/'
    const [id = ''] = await create('--accent', '#3b5bdb')
    const tag = `<script src="https://talk.example/natter.js" data-bot-id="${id}" data-accent="#3b5bdb" async></script>`
    expect(cli.stderr.join('')).toContain(tag)
    expect(await cli.natter('bot', 'show', id)).toContain(`script-tag\t${tag}`)
    const { scriptTag } = await cli.json('bot', 'show', id, '--base-url', 'http://127.0.0.1:8787')
    expect(scriptTag).toBe(tag.replace('https://talk.example', 'http://127.0.0.1:8787'))
  })

  it('says that emails are shared when an organization gets a second bot', async () => {
    await create()
    expect(cli.stderr.join('')).not.toContain('emails')
    await create()
    expect(cli.stderr.join('')).toContain('the bots of an organization share the emails of its contacts')
  })

  it('refuses invalid settings and creates no bot', async () => {
    const mistakes: [string, RegExp][] = [
      ['--avatar http://shop.example/a.png', /--avatar must be an address such as https/],
      [`--greeting ${'x'.repeat(1001)}`, /--greeting must have at most 1000 characters, not "x{80}…"/],
      [`--quick-reply ${'x'.repeat(81)}`, /--quick-reply must have at most 80 characters/],
      [Array(11).fill('--quick-reply x').join(' '), /--quick-reply must be given 10 times at most/],
      ['--quick-reply none --quick-reply x', /--quick-reply must be given alone/],
      ['--accent red', /--accent must be a colour/],
      ['--locale ?', /--locale must be a language tag/],
      ['--origin https://shop.example/chat', /--origin must be scheme, host and port without a path/],
      ['--origin shop.example', /--origin must be scheme/],
      ['--origin https://a..b', /--origin must be scheme/],
      ['--origin https://*', /--origin must have its \* before a domain/],
      ['--origin https://*.example', /--origin must have its \* before a domain/],
      ['--origin https://shop.*.example', /--origin must have its \* before a domain/],
      ['--images perhaps', /--images must be yes or no/],
      ['--visitors nobody', /--visitors must be one of everyone, contacts/],
      ['--turns-per-day 0', /--turns-per-day must be/],
      ['--turns-per-minute 3001', /--turns-per-minute must be a whole number from 1 to 3000/],
      ['--turns-per-minute none', /--turns-per-minute must be a whole number from 1 to 3000, or default/],
      ['--conversation-turns-per-minute 0', /--conversation-turns-per-minute must be/],
      ['--sessions-per-minute -1', /--sessions-per-minute must be/],
      ['--responder oracle', /--responder must be one of faq, webhook, openai, none/],
      ['--responder webhook', /needs --webhook-url/],
      ['--responder openai', /needs --openai-model/],
      ['--webhook-url https://crm.example', /add --responder webhook/],
      ['--responder webhook --webhook-url https://me:secret@crm.example', /--webhook-url must be/],
      ['--responder webhook --webhook-url ftp://crm.example', /--webhook-url must be/],
      ['--responder openai --openai-model m --openai-history 0', /--openai-history must be/],
      ['--responder openai --openai-model m --openai-prompt @/nowhere', /--openai-prompt must be/],
      ['--content /nowhere', /--content must be an existing folder/],
      ['--events-url crm.example', /--events-url must be/],
      ['--events-authors all', /--events-authors needs an address.*--events-url/],
    ]
    for (const [args, message] of mistakes) {
      const refused = create(...args.split(' '))
      await expect(refused, args).rejects.toThrow(UsageError)
      await expect(refused, args).rejects.toThrow(message)
    }
    const elsewhere = cli.natter('bot', 'create', '--organization', 'nobody', '--name', 'Shop')
    await expect(elsewhere).rejects.toThrow(/no organization nobody.*org list/)
    expect(await cli.natter('bot', 'list')).toEqual([])
  })
})

it('natter bot reports a missing bot, and an update without settings', async () => {
  const { id } = await cli.createBot()
  await expect(cli.updateBot(id)).rejects.toThrow(/the settings to change/)
  await expect(cli.updateBot('nobody', '--name', 'x')).rejects.toThrow(/no bot nobody.*bot list/)
  await expect(cli.natter('bot', 'show', 'nobody')).rejects.toThrow(/no bot nobody/)
})

describe('natter bot secret', () => {
  const rotate = (id: string, which: string) => cli.natter('bot', 'secret', id, '--rotate', which)

  it('replaces a webhook secret and keeps the old one for a day, if there is one', async () => {
    const { id, webhookSecret } = await cli.createBot(
      ...'--responder webhook --webhook-url https://a.example/'.split(' '),
    )
    const [secret] = await rotate(id, 'webhook')
    expect(secret).toMatch(secretForm)
    expect(secret).not.toBe(webhookSecret)
    const until = new Date(cli.clock.now() + 24 * 60 * 60 * 1000).toISOString()
    const former = { secret: webhookSecret, until }
    expect((await cli.storedBot(id))?.responder).toEqual({ kind: 'webhook', url: 'https://a.example/', secret, former })
    expect((await cli.natter('bot', 'show', id)).join()).not.toContain('whsec_')
    expect((await cli.natter('bot', 'show', id, '--json')).join()).not.toContain('whsec_')
    await expect(rotate(id, 'events')).rejects.toThrow(/no events address.*bot update/)
    const { eventsSecret } = await cli.updateBot(id, '--events-url', 'https://b.example/')
    const [rotated] = await rotate(id, 'events')
    expect(rotated).not.toBe(eventsSecret)
    await cli.updateBot(id, '--events-url', 'https://c.example/')
    const secrets = { secret: rotated, former: { secret: eventsSecret, until } }
    expect((await cli.storedBot(id))?.events).toEqual({ url: 'https://c.example/', ...secrets })
    const printed = await cli.json('bot', 'secret', id, '--rotate', 'events')
    expect(printed).toEqual({ id, secret: (await cli.storedBot(id))?.events?.secret })
  })

  it('lets both secrets sign that two commands create at once', async () => {
    const { id } = await cli.createBot(...'--responder webhook --webhook-url https://a.example/'.split(' '))
    const printed = (await Promise.all([rotate(id, 'webhook'), rotate(id, 'webhook')])).flat()
    const responder = (await cli.storedBot(id))?.responder
    const signing = responder?.kind === 'webhook' ? [responder.secret, responder.former?.secret] : []
    expect(signing.toSorted()).toEqual(printed.toSorted())
  })
})
