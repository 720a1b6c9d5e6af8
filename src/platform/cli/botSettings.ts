import { readFileSync } from 'node:fs'
import {
  type KindSettings,
  maxHistory,
  maxQuickReplies,
  type ResponderSettings,
  botSettingsSchemas as schemas,
  visitorKinds,
} from '../../contract/index.ts'
import { parseOrigin } from '../../contract/origin.ts'
import { defaultMegabytes, maxAttachmentMegabytes } from '../domain/attachments.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { openaiUrl } from '../responders/openai.ts'
import type { Bot, BotChanges } from '../store/store.ts'
import { english } from '../texts/english.ts'
import { UsageError } from './command.ts'
import {
  type CliOption,
  checked,
  choice,
  each,
  option,
  readApiKey,
  readFolder,
  readUrl,
  refuse,
  wholeNumber,
} from './option.ts'
import { maxSessionsPerMinute, maxTurnsPerMinute } from './serveOptions.ts'

/** One setting of a bot: how it is given, where it is stored, and how it is shown. */
interface BotSetting {
  option: CliOption
  /** What stores it: the bot itself, its limits, its events webhook, or the settings of a responder, which alone uses it. */
  part: 'bot' | 'limits' | 'events' | KindSettings['kind']
  /** Its name there. */
  field: string
  /** What `bot show` prints if it is not stored; default: `none`. */
  absent?: string
  /** What `bot show` prints of a stored value, if not the value itself. */
  show?(value: unknown): string | string[]
  /** The value with which a responder begins. */
  initially?: unknown
  /** Whether the responder cannot do without it. */
  isNeeded?: true
}

/** The value of an option that removes a setting. Commander would turn `null` into a text. */
const removed = Symbol('removed')

/** Reads `none`, or another word, as a value of its own. */
const orNone =
  <Value, None>(none: None, read: (text: string) => Value, word = 'none') =>
  (text: string): Value | None =>
    text === word ? none : read(text)

/** Reads each of several texts, or `none` alone. */
const listOrNone =
  (read: (text: string) => string, most = Number.POSITIVE_INFINITY) =>
  (text: string, before: string[] | undefined): string[] => {
    if (before && (text === 'none' || before.length === 0))
      refuse('Must be given alone to remove all of them with none.')
    if (before?.length === most) refuse(`Must be given ${most} times at most.`)
    return text === 'none' ? [] : [...(before ?? []), read(text)]
  }

/** Line breaks are hard to type in a shell. */
const withBreaks = (text: string): string => text.replaceAll('\\n', '\n')

const yesNo = (field: string, description: string): BotSetting => ({
  option: option(
    `--${field} <yes|no>`,
    description,
    text => text === 'yes' || (text === 'no' ? false : refuse('Must be yes or no.')),
  ),
  part: 'bot',
  field,
  show: value => (value ? 'yes' : 'no'),
})

/** A limit of the bot's own, or the word that removes it: the bot then has the limit of the server. */
const limit = (flag: string, field: string, description: string, most: number, absent = 'default'): BotSetting => ({
  option: option(
    `--${flag} <N>`,
    description,
    orNone(removed, wholeNumber(1, most, `a whole number from 1 to ${most}, or ${absent}`), absent),
  ),
  part: 'limits',
  field,
  absent,
})

const inBot = (field: string, option: CliOption, more: Partial<BotSetting> = {}): BotSetting => ({
  part: 'bot',
  field,
  option,
  ...more,
})

type TextKey = keyof Bot['texts']
/** The texts that can be replaced. The greeting has an option of its own. */
export const textKeys = Object.keys(english).filter((key): key is TextKey => key !== 'greeting')
const quickReplies: readonly TextKey[] = ['person', 'retry']

/** Reads `KEY=TEXT`; `KEY=none` removes the replacement. */
function readReplacement(given: string): [TextKey, string | typeof removed] {
  const [, name, text = ''] = /^(\w+)=(.*)$/s.exec(given) ?? []
  const key = textKeys.find(key => key === name) ?? refuse(`Must be KEY=TEXT, and KEY one of ${textKeys.join(', ')}.`)
  if (text === 'none') return [key, removed]
  const read = checked(quickReplies.includes(key) ? schemas.quickReply : schemas.text)(withBreaks(text))
  if (key === 'hello' && !read.includes('{name}')) refuse('Must contain {name} in the text of hello.')
  return [key, read]
}

/** Reads an origin or a pattern of origins. What no page can have would silently match nothing. */
function readOrigin(text: string): string {
  if (text === '*' || text === 'null') return text
  const [, base = text, anyPort = ''] = /^(.*?)(:\*)?\/?$/.exec(text) ?? []
  const isWildcard = base.includes('://*.')
  const parsed = parseOrigin(base.replace('://*.', '://any.'))
  if ('reason' in parsed) return refuse(parsed.reason)
  const { origin } = parsed
  if (origin.includes('*') || (isWildcard && !/:\/\/any\.[^.:]+\.[^.]/.test(origin)))
    return refuse('Must have its * before a domain, as in https://*.shop.example, which takes all subdomains.')
  return `${isWildcard ? origin.replace('://any.', '://*.') : origin}${anyPort}`
}

/** Reads a file by its path or descriptor, or refuses it with a sentence. */
function readFileOf(file: string | number, refusal: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return refuse(refusal)
  }
}

const readKeyFile = (file: string): string =>
  readApiKey(readFileOf(file === '-' ? 0 : file, 'Must be a file that can be read, - or none.').trim())

const longestPrompt = 32_000

function readPrompt(text: string): string {
  const prompt = text.startsWith('@')
    ? readFileOf(text.slice(1), 'Must be a text, or @ and a file that can be read.')
    : text
  return prompt.length <= longestPrompt && prompt.isWellFormed() && !prompt.includes('\0')
    ? prompt.trim()
    : refuse(`Must have at most ${longestPrompt} characters, without NUL.`)
}

const defaultPrompt = `You answer the visitors of a website in its chat: briefly, politely and in their language.
Say so when you do not know something, and never make anything up.`

const kinds = ['faq', 'webhook', 'openai', 'none'] as const
const responder = choice(
  '--responder <KIND>',
  'Who answers: faq (the default), webhook, openai, or none for agents only',
  kinds,
)
const events = option(
  '--events-url <URL>',
  'Webhook for new conversations, messages of visitors and logouts, or none',
  orNone(removed, readUrl),
)
const maxMegabytesPerDay = 1_000_000

/**
 * All settings of a bot, for the options of `bot create` and `bot update`, for `bot show`, and for the test of the guide's
 * table. Each description says which value removes the setting, since "none" may be a greeting.
 */
export const botSettings: readonly BotSetting[] = [
  inBot('name', option('--name <NAME>', 'What visitors read in its header', checked(schemas.name))),
  inBot(
    'subtitle',
    option(
      '--subtitle <TEXT>',
      'The line under its name, up to 80 characters, or "" for none',
      checked(schemas.subtitle),
    ),
  ),
  inBot(
    'avatar',
    option('--avatar <URL>', 'Its picture: an https address, or none', orNone('', checked(schemas.avatar))),
  ),
  inBot(
    'greeting',
    option(
      '--greeting <TEXT>',
      'Greeting in an empty chat, up to 1000 characters, or "" for none; \\n starts another bubble',
      text => checked(schemas.greeting)(withBreaks(text)),
    ),
  ),
  inBot(
    'quickReplies',
    option(
      '--quick-reply <TEXT>',
      'A suggestion under the greeting: up to 80 characters, at most ten suggestions, or none; repeat it for more',
      listOrNone(checked(schemas.quickReply), maxQuickReplies),
    ),
  ),
  inBot('accent', option('--accent <COLOUR>', 'Its colour: #rrggbb, or none', orNone('', checked(schemas.accent)))),
  inBot(
    'locale',
    option(
      '--locale <TAG>',
      "Its language, such as en, or none for that of each visitor's widget",
      orNone('', checked(schemas.locale)),
    ),
  ),
  inBot(
    'texts',
    option(
      '--text <KEY=TEXT>',
      'What it says in place of a default text, up to 1000 characters, or KEY=none; \\n is a line break; repeat it for more',
      each(readReplacement),
    ),
    {
      show: texts => Object.entries(texts as Bot['texts']).map(([key, text]) => `${key}=${text}`),
    },
  ),
  inBot(
    'origins',
    option(
      '--origin <ORIGIN>',
      'A site that may embed the bot, such as https://shop.example, or none; https://*.shop.example takes all subdomains, https://host:* any port, * any site; repeat it for more',
      listOrNone(readOrigin),
    ).conflicts(['addOrigin', 'removeOrigin']),
    {
      absent: 'none: only "natter serve --dev" lets pages use it, those of its own machine',
    },
  ),
  yesNo('images', 'Whether answers may show images'),
  yesNo('handover', 'Whether visitors may ask for a person of the team'),
  yesNo('ratings', 'Whether visitors can rate answers'),
  yesNo('attachments', 'Whether files can be attached'),
  inBot(
    'visitors',
    choice(
      '--visitors <everyone|contacts>',
      'Who may talk to it: everyone, or contacts only, which ends all anonymous chats at once',
      visitorKinds,
    ),
  ),
  inBot('responder', responder, { show: value => (value as ResponderSettings).kind }),
  {
    part: 'faq',
    field: 'content',
    option: option(
      '--content <FOLDER>',
      'faq: Markdown files to answer from; none for the folder that "natter serve" is given',
      orNone(removed, readFolder),
    ),
    absent: 'that of "natter serve" (NATTER_CONTENT)',
  },
  {
    part: 'webhook',
    field: 'url',
    option: option('--webhook-url <URL>', 'webhook: what is asked for each answer', readUrl),
    isNeeded: true,
  },
  {
    part: 'openai',
    field: 'baseUrl',
    option: option('--openai-base-url <URL>', `openai: an OpenAI-compatible endpoint; initially ${openaiUrl}`, readUrl),
    initially: openaiUrl,
  },
  {
    part: 'openai',
    field: 'model',
    option: option('--openai-model <NAME>', 'openai: the model', text => text.trim() || refuse('Must be a name.')),
    isNeeded: true,
  },
  {
    part: 'openai',
    field: 'prompt',
    option: option('--openai-prompt <TEXT>', 'openai: the system prompt, or @FILE, or "" for none', readPrompt),
    initially: defaultPrompt,
  },
  {
    part: 'openai',
    field: 'history',
    option: option(
      '--openai-history <N>',
      'openai: how many of the last messages the model gets, 1 to 100; initially 20',
      wholeNumber(1, maxHistory),
    ),
    initially: 20,
  },
  {
    part: 'openai',
    field: 'apiKey',
    option: option(
      '--openai-key-file <FILE>',
      "openai: the file with the base URL's API key, - for stdin, or none; initially the platform's key",
      orNone(removed, readKeyFile),
    ),
    show: () => 'given',
  },
  { part: 'events', field: 'url', option: events },
  {
    part: 'events',
    field: 'authors',
    option: choice(
      '--events-authors <visitors|all>',
      'Whose messages are sent to the events webhook: only those of visitors (default), or all',
      ['visitors', 'all'],
    ),
    absent: 'visitors',
  },
  limit(
    'turns-per-day',
    'turnsPerDay',
    'Limit of replies of the responder per day (UTC), or none',
    1_000_000_000,
    'none',
  ),
  limit(
    'turns-per-minute',
    'turnsPerMinute',
    "Limit of replies of the responder per minute, or default for the server's",
    maxTurnsPerMinute,
  ),
  limit(
    'conversation-turns-per-minute',
    'conversationTurnsPerMinute',
    "Limit of replies per minute in one conversation, or default for the server's",
    maxTurnsPerMinute,
  ),
  limit(
    'sessions-per-minute',
    'sessionsPerMinute',
    "Limit of new anonymous sessions per minute, or default for the server's",
    maxSessionsPerMinute,
  ),
  limit(
    'attachment-megabytes',
    'attachmentMegabytes',
    `Limit of a file in MiB, at most ${maxAttachmentMegabytes}, which is the default`,
    maxAttachmentMegabytes,
  ),
  limit(
    'conversation-megabytes-per-day',
    'conversationMegabytesPerDay',
    `Limit of files in MiB per day (UTC) in one conversation, or default: ${defaultMegabytes.ofConversation}`,
    maxMegabytesPerDay,
  ),
  limit(
    'bot-megabytes-per-day',
    'botMegabytesPerDay',
    `Limit of files in MiB per day (UTC) of the bot, or default: ${defaultMegabytes.ofBot}`,
    maxMegabytesPerDay,
  ),
]

/** Changes some of the origins that a bot has. */
export const originChanges = [
  option(
    '--add-origin <ORIGIN>',
    'Another site that may embed the bot; the others stay; repeat it for more',
    each(readOrigin),
  ),
  option(
    '--remove-origin <ORIGIN>',
    'A site that may no longer embed the bot; the others stay; repeat it for more',
    each(readOrigin),
  ),
] as const

/** Settings by their fields. */
type Fields = Record<string, unknown>

/** What the settings are changed of. */
export type Before = Pick<Bot, 'responder' | 'events' | 'limits' | 'texts' | 'origins'>

/** New secrets, which are shown once. */
export interface Secrets {
  webhookSecret?: string
  eventsSecret?: string
}

/** The settings to change, by the values of their options, and the secrets that were created for them. */
export function readChanges(
  given: Fields,
  before: Before,
): { changes: BotChanges & Pick<Partial<Bot>, 'visitors'>; secrets: Secrets } {
  const { responder: _, texts, ...profile } = givenIn('bot', given)
  const limits = givenIn('limits', given)
  const changes = {
    ...profile,
    ...(isAny(texts) && { texts: merge(before.texts, Object.fromEntries(texts as [string, unknown][])) }),
    ...(isAny(limits) && { limits: merge(before.limits, limits) }),
    ...changeOrigins(given, before.origins),
    ...changeResponder(given, before.responder),
    ...changeEvents(givenIn('events', given), before.events),
  } as BotChanges
  return { changes, secrets: newSecrets(before, changes) }
}

const isAny = (fields: unknown): boolean => fields !== undefined && Object.keys(fields as Fields).length > 0

/** The given settings of a part. */
const givenIn = (part: BotSetting['part'], given: Fields): Fields =>
  Object.fromEntries(
    botSettings
      .filter(setting => setting.part === part)
      .map(({ option, field }) => [field, given[option.attributeName()]])
      .filter(([, value]) => value !== undefined),
  )

/** The settings with changes. */
const merge = (before: object, changes: Fields): Fields =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(([, value]) => value !== removed && value !== undefined),
  )

/** The origins after `--add-origin` and `--remove-origin`. */
function changeOrigins({ addOrigin, removeOrigin }: Fields, before: string[]): { origins?: string[] } {
  if (!addOrigin && !removeOrigin) return {}
  const adding = (addOrigin ?? []) as string[]
  const removing = (removeOrigin ?? []) as string[]
  const unknown = removing.find(origin => !before.includes(origin))
  if (unknown !== undefined)
    throw new UsageError(`The bot does not have the origin ${unknown}. It has: ${before.join(', ') || 'none'}.`)
  return { origins: [...new Set([...before, ...adding])].filter(origin => !removing.includes(origin)) }
}

function changeEvents({ url, authors }: Fields, before: Bot['events']): Fields {
  if (url === undefined && authors === undefined) return {}
  const webhook = url === undefined ? before : url === removed ? null : { secret: mintWebhookSecret(), ...before, url }
  if (authors !== undefined && !webhook)
    throw new UsageError('--events-authors needs an address: give --events-url, too.')
  // Those of visitors are stored as nothing.
  return {
    events: webhook && merge(webhook, { authors: authors === 'visitors' ? removed : (authors ?? before?.authors) }),
  }
}

/** The settings of each kind of responder that the bot has or had. The first one is in use. */
export const allKinds = ({ unused = [], ...inUse }: ResponderSettings): KindSettings[] => [inUse, ...unused]

const settingsOf = (kind: string): BotSetting[] => botSettings.filter(({ part }) => part === kind)

function changeResponder(given: Fields, before: ResponderSettings): Fields {
  const kind = (given['responder'] ?? before.kind) as KindSettings['kind']
  const stray = kinds
    .filter(each => each !== kind)
    .flatMap(settingsOf)
    .find(({ option }) => given[option.attributeName()] !== undefined)
  if (stray)
    throw new UsageError(
      `${stray.option.long} is for the responder ${stray.part}, and this bot's is ${kind}: add --responder ${stray.part}.`,
    )
  const changes = givenIn(kind, given)
  if (given['responder'] === undefined && !isAny(changes)) return {}
  const all = allKinds(before)
  const old = all.find(each => each.kind === kind)
  const initial = Object.fromEntries(settingsOf(kind).map(({ field, initially }) => [field, initially]))
  const secret = kind === 'webhook' && { secret: mintWebhookSecret() }
  const changed = merge({ ...initial, ...secret, ...old, kind }, changes)
  const missing = settingsOf(kind).find(({ field, isNeeded }) => isNeeded && changed[field] === undefined)
  if (missing) throw new UsageError(`--responder ${kind} needs ${missing.option.long}.`)
  // A key that was given for another base URL is not sent to it.
  if (
    old?.kind === 'openai' &&
    old.apiKey !== undefined &&
    changed['baseUrl'] !== old.baseUrl &&
    changes['apiKey'] === undefined
  )
    throw new UsageError(
      `The API key of this bot is for ${old.baseUrl}. Give the key for ${changed['baseUrl']} with --openai-key-file, or remove it with --openai-key-file none.`,
    )
  // The settings of other kinds are kept: `--responder none` must not cost the prompt.
  const unused = all.filter(each => each.kind !== kind && Object.keys(each).length > 1)
  return { responder: { ...changed, ...(unused.length > 0 && { unused }) } }
}

function newSecrets(before: Before, { responder, events }: BotChanges): Secrets {
  const old = allKinds(before.responder).find(each => each.kind === 'webhook')?.secret
  return {
    ...(responder?.kind === 'webhook' && responder.secret !== old && { webhookSecret: responder.secret }),
    ...(events && events.secret !== before.events?.secret && { eventsSecret: events.secret }),
  }
}

/** The names of the settings of a responder, without `--`. */
export const namesOf = ({ kind }: KindSettings): string[] => settingsOf(kind).map(({ option }) => option.name())

/** All settings of a bot by the names of their options; a list has a row for each entry. Secrets are not shown. */
export function settingRows(bot: Bot): [string, string][] {
  const responders = allKinds(bot.responder)
  return botSettings.flatMap(({ part, field, option, absent = 'none', show }) => {
    const isOfKind = part !== 'bot' && part !== 'limits' && part !== 'events'
    const stored: object | null | undefined = isOfKind
      ? responders.find(({ kind }) => kind === part)
      : part === 'bot'
        ? bot
        : bot[part]
    if (!stored && (isOfKind || field === 'authors')) return []
    const value = (stored as Fields | null)?.[field]
    const shown = value === undefined ? [] : [show ? show(value) : (value as string | string[])].flat()
    const name = isOfKind && part !== bot.responder.kind ? `${option.name()} (not in use)` : option.name()
    return (shown.length > 0 ? shown : [absent]).map((one): [string, string] => [name, String(one)])
  })
}
