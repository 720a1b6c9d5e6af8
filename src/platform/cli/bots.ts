import type { KindSettings, SigningSecrets } from '../../contract/index.ts'
import { scriptTag } from '../../contract/scriptTag.ts'
import { changeSettings, createBotRow } from '../domain/bots.ts'
import { timestamp } from '../domain/time.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { missingKey } from '../responders/openai.ts'
import { encryptSecrets } from '../secrets/botSecrets.ts'
import type { Bot, BotChanges } from '../store/store.ts'
import { type Before, namesOf, originChanges, readChanges, settingOptions, settingRows } from './botSettings.ts'
import { type CommandContext, command, type Topic, UsageError } from './command.ts'
import { database, findBot, findOrganization, onStore, openCipher } from './database.ts'
import { option, required } from './option.ts'
import { organization } from './organizations.ts'
import { json, oneLine, printRows } from './rows.ts'
import { addressHint, baseUrlOption } from './scriptTag.ts'
import { encryptionKeys, openaiApiKey, openaiKeyBaseUrl } from './serveOptions.ts'

/** The settings of a new bot that others are derived from. */
const newBot = {
  responder: { kind: 'faq' },
  events: null,
  limits: {},
  texts: {},
  origins: [],
  hours: null,
} satisfies Before

/** How long the former secret signs beside the new one, until the organization has deployed the new one. */
const formerForMs = 24 * 60 * 60 * 1000

const rotate = option('--rotate <webhook|events>', 'Which secret').choices(['webhook', 'events'])

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

const secretSettings = ['secret', 'former', 'apiKey']

function withoutSecret(settings: KindSettings) {
  const shown = Object.fromEntries(Object.entries(settings).filter(([name]) => !secretSettings.includes(name)))
  return { ...shown, ...(settings.kind === 'openai' && { keyFile: settings.apiKey === undefined ? 'none' : 'given' }) }
}

/** Prints the bot's id and its new secrets. */
function printCreated(
  { values, printLine }: Pick<CommandContext<readonly [typeof json]>, 'values' | 'printLine'>,
  id: string,
  secrets: { webhookSecret?: string; eventsSecret?: string },
): void {
  const { webhookSecret, eventsSecret } = secrets
  printLine(values.json ? JSON.stringify({ id, ...secrets }) : id)
  if (values.json) return
  if (webhookSecret) printLine(`webhook secret\t${webhookSecret}\tfor NATTER_RESPONDER_SECRET`)
  if (eventsSecret) printLine(`events secret\t${eventsSecret}\tfor NATTER_EVENTS_SECRET`)
}

/** Read from this environment, which is usually the server's, too. */
const platformKeys = [openaiApiKey, openaiKeyBaseUrl, encryptionKeys] as const

const sharedEmails = `the bots of an organization share the emails of its contacts: each email belongs to a contact of one bot.
natter: To let the same people use both bots, create a second organization for this bot.`

function warnOfMissingKey(
  { values, stderr }: Pick<CommandContext<typeof platformKeys>, 'values' | 'stderr'>,
  { responder }: BotChanges,
): void {
  if (responder?.kind !== 'openai') return
  const warning = missingKey(responder, { key: values.openaiApiKey, baseUrl: values.openaiKeyBaseUrl })
  if (warning !== undefined) stderr(`natter: ${warning}\n`)
}

export const bots: Topic = {
  name: 'bot',
  summary: 'Creates, changes, shows and lists bots',
  note: `"create" prints the bot's id. "update" changes only the given settings; a running server applies them at once.
The secrets that sign webhooks are created with the first URL, and printed only then. "secret" replaces one.`,
  commands: [
    command({
      name: 'bot create',
      summary: 'Creates a bot',
      options: [
        required(organization),
        ...settingOptions.map(option => (option.name() === 'name' ? required(option) : option)),
        baseUrlOption,
        database,
        json,
        ...platformKeys,
      ],
      run: onStore(async (call, store) => {
        const { organization: organizationId, baseUrl } = call.values
        const { changes, secrets } = readChanges(call.values, newBot)
        // The name is required, so it is among the changes.
        const bot = createBotRow({ name: '', organizationId, ...changes }, call.clock)
        await findOrganization(store, organizationId)
        const siblings = await store.listBots(organizationId)
        await store.createBot(encryptSecrets(await openCipher(store, call.values.encryptionKeys), bot.id, bot))
        printCreated(call, bot.id, secrets)
        // To stderr: scripts read the id from stdout.
        if (!call.values.json) call.stderr(`natter: embed it with ${scriptTag(baseUrl, bot)}\n${addressHint(baseUrl)}`)
        if (siblings.length > 0) call.stderr(`natter: ${sharedEmails}\n`)
        warnOfMissingKey(call, changes)
      }),
    }),
    command({
      name: 'bot update',
      positional: '<BOT>',
      summary: 'Changes the given settings',
      options: [...settingOptions, ...originChanges, database, json, ...platformKeys],
      run: onStore(async (call, store) => {
        const cipher = await openCipher(store, call.values.encryptionKeys)
        const changed = await changeSettings(
          store,
          () => findBot(store, call.argument),
          bot => {
            const { changes: given, secrets } = readChanges(call.values, bot)
            if (Object.keys(given).length === 0)
              throw new UsageError('Give the settings to change: "natter bot update --help" lists them.')
            const { visitors, ...changes } = given
            const encrypted = encryptSecrets(cipher, bot.id, changes)
            return { changes: encrypted, secrets, visitors, kindBefore: bot.responder.kind }
          },
        )
        const { changes, secrets, visitors, kindBefore } = changed
        if (visitors) await store.setVisitors(call.argument, visitors, timestamp(call.clock.now()))
        printCreated(call, call.argument, secrets)
        const { kind = kindBefore, unused = [] } = changes.responder ?? {}
        const kept = unused.flatMap(namesOf)
        if (kind !== kindBefore && kept.length > 0)
          call.stderr(`natter: kept, but not in use now: ${kept.join(', ')}. "natter bot show" shows them.\n`)
        warnOfMissingKey(call, changes)
      }),
    }),
    command({
      name: 'bot show',
      positional: '<BOT>',
      summary: 'Prints all settings except the secrets, and the tag that embeds it',
      options: [baseUrlOption, database, json],
      run: onStore(async (call, store) => {
        const { baseUrl, json } = call.values
        const bot = await findBot(store, call.argument)
        const tag = scriptTag(baseUrl, bot)
        if (json) return call.printLine(JSON.stringify({ ...withoutSecrets(bot), scriptTag: tag }))
        const about = { id: bot.id, organization: bot.organizationId }
        const made = { 'created-at': bot.createdAt, 'script-tag': tag }
        for (const [name, value] of [...Object.entries(about), ...settingRows(bot), ...Object.entries(made)])
          call.printLine(`${name}\t${oneLine(value)}`)
        call.stderr(addressHint(baseUrl))
      }),
    }),
    command({
      name: 'bot list',
      summary: 'Lists id, organization, name and origins of each',
      options: [organization, database, json],
      run: onStore(async (call, store) => {
        const all = await store.listBots(call.values.organization)
        printRows(call, all.map(withoutSecrets), bot => [bot.id, bot.organizationId, bot.name, bot.origins.join(' ')])
      }),
    }),
    command({
      name: 'bot secret',
      positional: '<BOT>',
      summary: 'Creates and prints a new secret; for 24 hours the old one also signs',
      options: [required(rotate), database, json, encryptionKeys],
      run: onStore(async (call, store) => {
        const { argument, values, clock } = call
        const which = values.rotate
        const secret = mintWebhookSecret()
        const until = timestamp(clock.now() + formerForMs)
        const rotated = <Signed extends SigningSecrets>(signed: Signed): Signed => ({
          ...signed,
          secret,
          former: { secret: signed.secret, until },
        })
        const cipher = await openCipher(store, values.encryptionKeys)
        await changeSettings(
          store,
          () => findBot(store, argument),
          ({ id, responder, events }) => {
            const encrypted = (changes: BotChanges) => ({ changes: encryptSecrets(cipher, id, changes) })
            if (which === 'webhook' && responder.kind === 'webhook') return encrypted({ responder: rotated(responder) })
            if (which === 'events' && events) return encrypted({ events: rotated(events) })
            throw new UsageError(
              `This bot has no ${which} address in use: "natter bot update" sets one, and creates its secret.`,
            )
          },
        )
        printRows(call, [{ id: argument, secret }], ({ secret }) => [secret])
      }),
    }),
  ],
}
