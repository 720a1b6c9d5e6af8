import type { KindSettings, SigningSecrets } from '../../contract/index.ts'
import { createBotRow } from '../domain/bots.ts'
import { timestamp } from '../domain/time.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { encryptSecrets } from '../secrets/botSecrets.ts'
import type { Bot, BotChanges } from '../store/store.ts'
import { botSettings, changeBot, keptOptions, readOrigin, type Secrets, settingRows } from './botSettings.ts'
import { changeSettings, findBot } from './changeSettings.ts'
import { type CommandContext, command, type Topic } from './command.ts'
import { database, existing, withStore } from './database.ts'
import { encryptionKeys, openCipher } from './encryptionKeys.ts'
import { oneOf, type ValuesOf } from './option.ts'
import { findOrganization, organization } from './organizations.ts'
import { json, oneLine, printRows } from './rows.ts'
import { addressHint, baseUrlOption, scriptTag } from './scriptTag.ts'
import { serveOptions } from './serveOptions.ts'
import { UsageError } from './usageError.ts'

/** The settings of a new bot that others are derived from. */
const newBot = { responder: { kind: 'faq' }, events: null, limits: {}, texts: {} } as const

/** Changes some of the origins that a bot has. */
const originChanges = {
  'add-origin': {
    metavar: 'ORIGIN',
    many: true,
    description: 'Another site that may embed the bot; the others stay',
    read: readOrigin,
  },
  'remove-origin': {
    metavar: 'ORIGIN',
    many: true,
    description: 'A site that may no longer embed the bot; the others stay',
    read: readOrigin,
  },
} as const

/** The bot's origins after `--add-origin` and `--remove-origin`; `undefined` if neither is given. */
function changeOrigins(
  given: ValuesOf<typeof originChanges> & { origin: unknown },
  before: string[],
): string[] | undefined {
  const { 'add-origin': added = [], 'remove-origin': removed = [] } = given
  if (added.length + removed.length === 0) return undefined
  if (given.origin)
    throw new UsageError('--origin replaces all origins: give it without --add-origin and --remove-origin.')
  const unknown = removed.find(origin => !before.includes(origin))
  if (unknown !== undefined)
    throw new UsageError(`The bot does not have the origin ${unknown}. It has: ${before.join(', ') || 'none'}.`)
  return [...new Set([...before, ...added])].filter(origin => !removed.includes(origin))
}

/** How long the former secret signs beside the new one, until the organization has deployed the new one. */
const formerForMs = 24 * 60 * 60 * 1000

const rotate = {
  metavar: 'webhook|events',
  description: 'Which secret: webhook (of the responder) or events',
  read: oneOf('webhook', 'events'),
}

/** A bot without its secrets, which are shown only when they are created. */
function withoutSecrets({ responder, events, limits, ...bot }: Bot) {
  const { unused, ...inUse } = responder
  return {
    ...bot,
    responder: { ...withoutSecret(inUse), ...(unused && { unused: unused.map(withoutSecret) }) },
    eventsUrl: events?.url ?? null,
    ...(events && { eventsAuthors: events.authors ?? 'visitors' }),
    limits,
  }
}

function withoutSecret({ kind, ...settings }: KindSettings): { kind: string; [setting: string]: unknown } {
  const shown = Object.entries(settings).filter(([name]) => !secretSettings.includes(name))
  const keyFile = kind === 'openai' && { keyFile: 'apiKey' in settings ? 'given' : 'none' }
  return { kind, ...Object.fromEntries(shown), ...keyFile }
}
const secretSettings = ['secret', 'former', 'apiKey']

const secretRows = ({ webhookSecret, eventsSecret }: Secrets): string[][] => [
  ...(webhookSecret ? [['webhook secret', webhookSecret, 'for NATTER_RESPONDER_SECRET']] : []),
  ...(eventsSecret ? [['events secret', eventsSecret, 'for NATTER_EVENTS_SECRET']] : []),
]

/** Prints the bot's id and its new secrets. */
function printCreated(
  call: { values: { json: boolean }; printLine(line: string): void },
  id: string,
  secrets: Secrets,
): void {
  if (call.values.json) call.printLine(JSON.stringify({ id, ...secrets }))
  else for (const cells of [[id], ...secretRows(secrets)]) call.printLine(cells.join('\t'))
}

/** Read from this environment, which is usually the server's, too. */
const platformKeys = {
  'openai-api-key': serveOptions['openai-api-key'],
  'openai-key-base-url': serveOptions['openai-key-base-url'],
  ...encryptionKeys,
}

const sharedEmails = `the bots of an organization share the emails of its contacts: each email belongs to a contact of one bot.
natter: To let the same people use both bots, create a second organization for this bot.`

async function warnOfMissing(
  { values, stderr }: Pick<CommandContext<typeof platformKeys>, 'values' | 'stderr'>,
  { responder }: BotChanges,
): Promise<void> {
  if (responder?.kind !== 'openai') return
  const { listMissing } = await import('../responders/openai.ts')
  const platformKey = { key: values['openai-api-key'], baseUrl: values['openai-key-base-url'] }
  for (const sentence of await listMissing(responder, platformKey)) stderr(`natter: ${sentence}\n`)
}

export const bots: Topic = {
  name: 'bot',
  summary: 'Create, change, show and list bots',
  note: `"create" prints the bot's id. "update" changes only the given settings; a running server applies them at once.
The secrets that sign webhooks are created with the first URL, and printed only then. "secret" replaces one.`,
  commands: [
    command({
      name: 'bot create',
      summary: 'Creates a bot',
      required: ['organization', 'name'],
      options: { organization, ...botSettings, 'base-url': baseUrlOption, ...platformKeys, database, json },
      async run(call) {
        const { organization: organizationId, name } = call.values
        const { changes, secrets } = changeBot(call.values, newBot)
        const bot = createBotRow({ organizationId, ...changes, name }, call.clock)
        const siblings = await withStore(existing(call.values.database), async store => {
          await findOrganization(store, organizationId)
          const before = await store.listBots(organizationId)
          await store.createBot(encryptSecrets(await openCipher(store, call.values), bot.id, bot))
          return before.length
        })
        printCreated(call, bot.id, secrets)
        // To stderr: scripts read the id from stdout.
        if (!call.values.json)
          call.stderr(
            `natter: embed it with ${scriptTag(call.values['base-url'], bot)}\n${addressHint(call.values['base-url'])}`,
          )
        if (siblings > 0) call.stderr(`natter: ${sharedEmails}\n`)
        await warnOfMissing(call, changes)
      },
    }),
    command({
      name: 'bot update',
      metavar: 'BOT',
      summary: 'Changes the given settings',
      options: { ...botSettings, ...originChanges, ...platformKeys, database, json },
      async run(call) {
        let kindBefore: string | undefined
        const { changes, secrets } = await withStore(existing(call.values.database), async store => {
          const cipher = await openCipher(store, call.values)
          const changed = await changeSettings(store, call.argument, bot => {
            kindBefore = bot.responder.kind
            const { changes: given, secrets } = changeBot(call.values, bot)
            const origins = changeOrigins(call.values, bot.origins)
            const { visitors, ...changes } = { ...given, ...(origins && { origins }) }
            if (Object.keys(changes).length === 0 && visitors === undefined)
              throw new UsageError('Give the settings to change: "natter bot update --help" lists them.')
            return { changes: encryptSecrets(cipher, bot.id, changes), visitors, secrets }
          })
          const { visitors } = changed
          if (visitors) await store.setVisitors(call.argument, visitors, timestamp(call.clock.now()))
          return changed
        })
        printCreated(call, call.argument, secrets)
        const { kind = kindBefore, ...responder } = changes.responder ?? {}
        const kept = keptOptions(responder)
        if (kind !== kindBefore && kept.length > 0)
          call.stderr(`natter: kept, but not in use now: ${kept.join(', ')}. "natter bot show" shows them.\n`)
        await warnOfMissing(call, changes)
      },
    }),
    command({
      name: 'bot show',
      metavar: 'BOT',
      summary: 'Prints all settings except the secrets, and the tag that embeds it',
      options: { 'base-url': baseUrlOption, database, json },
      async run(call) {
        const bot = await withStore(existing(call.values.database), store => findBot(store, call.argument))
        const tag = scriptTag(call.values['base-url'], bot)
        if (call.values.json) call.printLine(JSON.stringify({ ...withoutSecrets(bot), scriptTag: tag }))
        else {
          const ids = [
            ['id', bot.id],
            ['organization', bot.organizationId],
          ]
          const rows = [...ids, ...settingRows(bot), ['created-at', bot.createdAt], ['script-tag', tag]]
          for (const [name, value = ''] of rows) call.printLine(`${name}\t${oneLine(value)}`)
          call.stderr(addressHint(call.values['base-url']))
        }
      },
    }),
    command({
      name: 'bot list',
      summary: 'Lists id, organization, name and origins of each',
      options: { organization, database, json },
      async run(call) {
        const { organization, database } = call.values
        const all = await withStore(existing(database), store => store.listBots(organization))
        printRows(call, all.map(withoutSecrets), ({ id, organizationId, name, origins }) => [
          id,
          organizationId,
          name,
          origins.join(' '),
        ])
      },
    }),
    command({
      name: 'bot secret',
      metavar: 'BOT',
      summary: 'Creates and prints a new secret; for 24 hours the old one also signs',
      required: ['rotate'],
      options: { rotate, ...encryptionKeys, database, json },
      async run(call) {
        const { argument, values, clock } = call
        const which = values.rotate
        const secret = mintWebhookSecret()
        const until = timestamp(clock.now() + formerForMs)
        const rotated = <Signed extends SigningSecrets>(signed: Signed): Signed => ({
          ...signed,
          secret,
          former: { secret: signed.secret, until },
        })
        await withStore(existing(values.database), async store => {
          const cipher = await openCipher(store, values)
          await changeSettings(store, argument, ({ id, responder, events }) => {
            const encrypted = (changes: BotChanges) => ({ changes: encryptSecrets(cipher, id, changes) })
            if (which === 'webhook' && responder.kind === 'webhook') return encrypted({ responder: rotated(responder) })
            if (which === 'events' && events) return encrypted({ events: rotated(events) })
            throw new UsageError(
              `This bot has no ${which} address in use: "natter bot update" sets one, and creates its secret.`,
            )
          })
        })
        printRows(call, [{ id: argument, secret }], ({ secret }) => [secret])
      },
    }),
  ],
}
