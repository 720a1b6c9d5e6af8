import { readFileSync } from 'node:fs'
import {
  botSettingsSchemas,
  type KindSettings,
  maxHistory,
  maxQuickReplies,
  type ResponderSettings,
  visitorKinds,
} from '../../contract/index.ts'
import { parseOrigin } from '../../contract/origin.ts'
import { defaultMegabytes, maxAttachmentMegabytes } from '../domain/attachments.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { openaiUrl } from '../responders/openaiKey.ts'
import { omitUndefined } from '../store/omitUndefined.ts'
import type { Bot, BotChanges } from '../store/store.ts'
import { english } from '../texts/english.ts'
import { readFolder } from './folder.ts'
import { checked, oneOf, readApiKey, refuse, wholeNumber } from './option.ts'
import { readUrl } from './readUrl.ts'
import { UsageError } from './usageError.ts'

/** A setting of a bot. */
export interface BotSetting {
  /** Where it is stored: in a field of the bot, or in its limits, its events webhook or the responder of a kind. */
  at: string
  metavar: string
  /** For the help. It says which text takes the setting away, since "none" may be a greeting. */
  description: string
  /** The stored value of a text; `null` takes the setting away. */
  read(text: string): unknown
  /** Can be repeated: each text is an entry. */
  many?: true
  /** The value in a new responder; one without a value is refused if it is not optional. */
  initial?: unknown
  optional?: true
  /** What `bot show` prints if it is not set; otherwise none. */
  unset?: string
  /** What `bot show` prints in place of the stored value. */
  show?(value: unknown): string
}

type Kind = KindSettings['kind']
type TextKey = keyof Bot['texts']

const kinds = ['faq', 'webhook', 'openai', 'none'] as const satisfies Kind[]
/** Each reply counts the replies of the last minute. Counting more of them would take too much of the writer's time. */
export const maxTurnsPerMinute = 3000
export const maxSessionsPerMinute = 1_000_000
const maxMegabytesPerDay = 1_000_000
const longestPrompt = 32_000

const defaultPrompt = `You answer the visitors of a website in its chat: briefly, politely and in their language.
Say so when you do not know something, and never make anything up.`

/** Reads `none` as another value, and each other text by a reader. */
const orNone =
  <Value, None>(none: None, read: (text: string) => Value) =>
  (text: string): Value | None =>
    text === 'none' ? none : read(text)

const yesOrNo = { metavar: 'yes|no', read: (text: string): boolean => oneOf('yes', 'no')(text) === 'yes' }

/** A limit, which `word` takes away: without a limit of its own, a bot has that of the server. */
const limit = (word: 'none' | 'default', most: number) => ({
  metavar: 'N',
  unset: word,
  read: (text: string): number | null =>
    text === word ? null : wholeNumber(1, most, `a whole number from 1 to ${most}, or ${word}`)(text),
})

/** The settings of a bot, by the names of their options: for the commands, their help, `bot show` and the guide's test. */
export const botSettings = {
  name: {
    at: 'name',
    metavar: 'NAME',
    description: 'What visitors read in its header',
    read: checked(botSettingsSchemas.name),
  },
  subtitle: {
    at: 'subtitle',
    metavar: 'TEXT',
    description: 'The line under its name, up to 80 characters, or "" for none',
    read: checked(botSettingsSchemas.subtitle),
  },
  avatar: {
    at: 'avatar',
    metavar: 'URL',
    description: 'Its picture: an https address, or none',
    read: orNone('', checked(botSettingsSchemas.avatar)),
  },
  greeting: {
    at: 'greeting',
    metavar: 'TEXT',
    description: 'Greeting in an empty chat, up to 1000 characters, or "" for none; \\n starts another bubble',
    // Line breaks are hard to type in a shell.
    read: text => checked(botSettingsSchemas.greeting)(text.replaceAll('\\n', '\n')),
  },
  'quick-reply': {
    at: 'quickReplies',
    metavar: 'TEXT',
    many: true,
    description: 'A suggestion under the greeting: up to 80 characters, at most ten suggestions, or none',
    read: orNone(null, checked(botSettingsSchemas.quickReply)),
  },
  accent: {
    at: 'accent',
    metavar: 'COLOUR',
    description: 'Its colour: #rrggbb, or none',
    read: orNone('', checked(botSettingsSchemas.accent)),
  },
  locale: {
    at: 'locale',
    metavar: 'TAG',
    description: "Its language, such as en, or none for that of each visitor's widget",
    read: orNone('', checked(botSettingsSchemas.locale)),
  },
  text: {
    at: 'texts',
    metavar: 'KEY=TEXT',
    many: true,
    description: 'What it says in place of a default text, up to 1000 characters, or KEY=none; \\n is a line break',
    read: readReplacement,
  },
  origin: {
    at: 'origins',
    metavar: 'ORIGIN',
    many: true,
    description:
      'A site that may embed the bot, such as https://shop.example, or none; https://*.shop.example takes all subdomains, https://host:* any port, * any site',
    read: orNone(null, readOrigin),
    unset: 'none: only "natter serve --dev" lets pages use it, those of its own machine',
  },
  images: { at: 'images', ...yesOrNo, description: 'Whether answers may show images' },
  handover: { at: 'handover', ...yesOrNo, description: 'Whether visitors may ask for a person of the team' },
  ratings: { at: 'ratings', ...yesOrNo, description: 'Whether visitors can rate answers' },
  attachments: { at: 'attachments', ...yesOrNo, description: 'Whether files can be attached' },
  visitors: {
    at: 'visitors',
    metavar: 'everyone|contacts',
    description: 'Who may talk to it: everyone, or contacts only, which ends all anonymous chats at once',
    read: oneOf(...visitorKinds),
  },
  responder: {
    at: 'responder',
    metavar: 'KIND',
    description: 'Who answers: faq (the default), webhook, openai, or none for agents only',
    read: oneOf(...kinds),
  },
  content: {
    at: 'faq.content',
    optional: true,
    metavar: 'FOLDER',
    description: 'faq: Markdown files to answer from; none for the folder that "natter serve" is given',
    read: orNone(null, readFolder),
    unset: 'that of "natter serve" (NATTER_CONTENT)',
  },
  'webhook-url': {
    at: 'webhook.url',
    metavar: 'URL',
    description: 'webhook: what is asked for each answer',
    read: readUrl,
  },
  'openai-base-url': {
    at: 'openai.baseUrl',
    initial: openaiUrl,
    metavar: 'URL',
    description: `openai: an OpenAI-compatible endpoint; initially ${openaiUrl}`,
    read: readUrl,
  },
  'openai-model': {
    at: 'openai.model',
    metavar: 'NAME',
    description: 'openai: the model',
    read: text => text.trim() || refuse('Must be a name.'),
  },
  'openai-prompt': {
    at: 'openai.prompt',
    initial: defaultPrompt,
    metavar: 'TEXT',
    description: 'openai: the system prompt, or @FILE, or "" for none',
    read: readPrompt,
  },
  'openai-history': {
    at: 'openai.history',
    initial: 20,
    metavar: 'N',
    description: 'openai: how many of the last messages the model gets, 1 to 100; initially 20',
    read: wholeNumber(1, maxHistory),
  },
  'openai-key-file': {
    at: 'openai.apiKey',
    optional: true,
    metavar: 'FILE',
    description: "openai: the file with the base URL's API key, - for stdin, or none; initially the platform's key",
    read: orNone(null, readKeyFile),
    show: () => 'given',
  },
  'events-url': {
    at: 'events.url',
    metavar: 'URL',
    description: 'Webhook for new conversations, messages of visitors and logouts, or none',
    read: orNone(null, readUrl),
  },
  'events-authors': {
    at: 'events.authors',
    metavar: 'visitors|all',
    description: 'Whose messages are sent to the events webhook: only those of visitors (default), or all',
    read: oneOf('visitors', 'all'),
    unset: 'visitors',
  },
  'turns-per-day': {
    at: 'limits.turnsPerDay',
    ...limit('none', 1_000_000_000),
    description: 'Limit of replies of the responder per day (UTC), or none',
  },
  'turns-per-minute': {
    at: 'limits.turnsPerMinute',
    ...limit('default', maxTurnsPerMinute),
    description: "Limit of replies of the responder per minute, or default for the server's",
  },
  'conversation-turns-per-minute': {
    at: 'limits.conversationTurnsPerMinute',
    ...limit('default', maxTurnsPerMinute),
    description: "Limit of replies per minute in one conversation, or default for the server's",
  },
  'sessions-per-minute': {
    at: 'limits.sessionsPerMinute',
    ...limit('default', maxSessionsPerMinute),
    description: "Limit of new anonymous sessions per minute, or default for the server's",
  },
  'attachment-megabytes': {
    at: 'limits.attachmentMegabytes',
    ...limit('default', maxAttachmentMegabytes),
    description: `Limit of a file in MiB, at most ${maxAttachmentMegabytes}, which is the default`,
  },
  'conversation-megabytes-per-day': {
    at: 'limits.conversationMegabytesPerDay',
    ...limit('default', maxMegabytesPerDay),
    description: `Limit of files in MiB per day (UTC) in one conversation, or default: ${defaultMegabytes.ofConversation}`,
  },
  'bot-megabytes-per-day': {
    at: 'limits.botMegabytesPerDay',
    ...limit('default', maxMegabytesPerDay),
    description: `Limit of files in MiB per day (UTC) of the bot, or default: ${defaultMegabytes.ofBot}`,
  },
} satisfies Record<string, BotSetting>

/** The given settings, by the names of their options. */
export type GivenSettings = { [Name in keyof typeof botSettings]?: unknown }

/** Every setting with its option and the two parts of its place. */
const settings = Object.entries<BotSetting>(botSettings).map(([name, setting]) => {
  const [group = '', field] = setting.at.split('.')
  return { ...setting, option: name as keyof GivenSettings, group, field }
})
const ofGroup = (wanted: string) =>
  settings.flatMap(({ group, field, ...rest }) => (field !== undefined && group === wanted ? [{ ...rest, field }] : []))
/** New secrets, which are shown once. */
export interface Secrets {
  webhookSecret?: string
  eventsSecret?: string
}

/** The settings to change, and the secrets that were created for them. */
export function changeBot(
  given: GivenSettings,
  before: Pick<Bot, 'responder' | 'events' | 'limits' | 'texts'>,
): { changes: BotChanges & Partial<Pick<Bot, 'visitors'>>; secrets: Secrets } {
  const plain = settings.flatMap(({ option, at, field }) =>
    given[option] === undefined || field !== undefined ? [] : [[at, listOf(given[option], option)]],
  )
  const texts = given.text as { key: TextKey; text: string | null }[] | undefined
  const limits = ofGroup('limits').filter(({ option }) => given[option] !== undefined)
  const changes: BotChanges = {
    ...Object.fromEntries(plain),
    ...omitUndefined({
      texts: texts && merge(before.texts, Object.fromEntries(texts.map(({ key, text }) => [key, text]))),
      limits:
        limits.length === 0
          ? undefined
          : merge(before.limits, Object.fromEntries(limits.map(({ option, field }) => [field, given[option]]))),
      events: changeEvents(given, before.events),
      responder: changeResponder(given, before.responder),
    }),
  }
  if (changes.quickReplies && changes.quickReplies.length > maxQuickReplies)
    throw new UsageError(`--quick-reply may be given ${maxQuickReplies} times at most.`)
  return { changes, secrets: newSecrets(before, changes) }
}

/** The values after the changes, without those that are taken away. */
const merge = <Values extends object>(before: Values, changes: Record<string, unknown>): Values =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null)) as Values

function listOf(value: unknown, option: string): unknown {
  if (!Array.isArray(value) || !value.includes(null)) return value
  if (value.length > 1) throw new UsageError(`--${option} none removes all of them: give it alone.`)
  return []
}

function changeEvents(given: GivenSettings, before: Bot['events']): Bot['events'] | undefined {
  const { 'events-url': url, 'events-authors': authors } = given
  if (url === undefined && authors === undefined) return undefined
  if (url === null && authors === undefined) return null
  if (url === null || (url === undefined && !before))
    throw new UsageError('--events-authors needs an address: give --events-url, too.')
  const changed = { secret: mintWebhookSecret(), url: '', ...before, ...(url !== undefined && { url: String(url) }) }
  return merge(changed, authors === undefined ? {} : { authors: authors === 'all' ? authors : null })
}

/** The bot's responder after the changes; `undefined` if there are none. */
function changeResponder(given: GivenSettings, before: ResponderSettings): ResponderSettings | undefined {
  const kind = (given.responder as Kind | undefined) ?? before.kind
  const used = kinds.flatMap(each => ofGroup(each).map(setting => ({ ...setting, kind: each })))
  const all = used.filter(({ option }) => given[option] !== undefined)
  const stray = all.find(setting => setting.kind !== kind)
  if (stray)
    throw new UsageError(
      `--${stray.option} is for the responder ${stray.kind}, and this bot's is ${kind}: add --responder ${stray.kind}.`,
    )
  if (given.responder === undefined && all.length === 0) return undefined
  const known = allKinds(before)
  const old: Record<string, unknown> = { ...known.find(each => each.kind === kind) }
  const initial = ofGroup(kind).map(({ field, initial = null }) => [field, initial])
  const changes = all.map(({ option, field }) => [field, given[option]])
  const responder = merge(
    { ...Object.fromEntries(initial), ...(kind === 'webhook' && { secret: mintWebhookSecret() }), ...old, kind },
    Object.fromEntries(changes),
  )
  const missing = ofGroup(kind).find(({ field, optional }) => !optional && !(field in responder))
  if (missing) throw new UsageError(`--responder ${kind} needs --${missing.option}.`)
  // A key that was given for another base URL is not sent to this one.
  const isMoved = kind === 'openai' && old['apiKey'] !== undefined && responder['baseUrl'] !== old['baseUrl']
  if (isMoved && given['openai-key-file'] === undefined)
    throw new UsageError(
      `The API key of this bot is for ${old['baseUrl']}. Give the key for ${responder['baseUrl']} with --openai-key-file, or remove it with --openai-key-file none.`,
    )
  // The settings of other kinds are kept: `--responder none` must not cost the prompt.
  const unused = known.filter(each => each.kind !== kind && Object.keys(each).length > 1)
  return { ...(responder as KindSettings), ...(unused.length > 0 && { unused }) }
}

/** The settings of each kind that the bot has or had. The first one is in use. */
const allKinds = ({ unused = [], ...inUse }: ResponderSettings): KindSettings[] => [inUse, ...unused]

function newSecrets(before: Pick<Bot, 'responder' | 'events'>, { responder, events }: BotChanges): Secrets {
  const old = allKinds(before.responder).find(each => each.kind === 'webhook')?.secret
  return {
    ...(responder?.kind === 'webhook' && responder.secret !== old && { webhookSecret: responder.secret }),
    ...(events && events.secret !== before.events?.secret && { eventsSecret: events.secret }),
  }
}

/** The options of the settings that a bot keeps of its former responders. */
export const keptOptions = ({ unused = [] }: Pick<ResponderSettings, 'unused'>): string[] =>
  unused.flatMap(({ kind }) => ofGroup(kind).map(({ option }) => option))

/** Every setting of a bot by the name of its option, and its value; one row per entry of a list. */
export function settingRows(bot: Bot): [string, string][] {
  const known = allKinds(bot.responder)
  return settings.flatMap(({ option, at, group, field, unset = 'none', show = showValue }) => {
    const responder = known.findIndex(({ kind }) => kind === group)
    const isOfOther = kinds.some(kind => kind === group) && responder < 0
    if (isOfOther || (at === 'events.authors' && !bot.events)) return []
    const place: unknown = field === undefined ? bot : (known[responder] ?? bot[group as 'limits' | 'events'])
    const stored = (place as Record<string, unknown> | null)?.[field ?? group]
    const value = at === 'responder' ? bot.responder.kind : at === 'texts' ? textRows(bot.texts) : stored
    const shown = [value ?? []].flat().map(show)
    return (shown.length > 0 ? shown : [unset]).map((text): [string, string] => [
      responder > 0 ? `${option} (not in use)` : option,
      text,
    ])
  })
}

const showValue = (value: unknown): string => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value))
const textRows = (texts: Bot['texts']): string[] => Object.entries(texts).map(([key, text]) => `${key}=${text}`)

/** The texts that can be replaced. The greeting has an option of its own. */
export const textKeys = Object.keys(english).filter((key): key is TextKey => key !== 'greeting')
const quickReplies: readonly TextKey[] = ['person', 'retry']

/** Reads `KEY=TEXT`; the text is `null` if it is `none`. */
function readReplacement(given: string): { key: TextKey; text: string | null } {
  const [, name, text = ''] = /^(\w+)=(.*)$/s.exec(given) ?? []
  const key = textKeys.find(key => key === name)
  if (!key) refuse(`Must be KEY=TEXT, and KEY one of ${textKeys.join(', ')}.`)
  if (text === 'none') return { key, text: null }
  const schema = quickReplies.includes(key) ? botSettingsSchemas.quickReply : botSettingsSchemas.text
  const replacement = checked(schema)(text.replaceAll('\\n', '\n'))
  if (key === 'hello' && !text.includes('{name}')) refuse('Must contain {name} in the text of hello.')
  return { key, text: replacement }
}

/** Reads an origin or a pattern of origins. What no page can have would silently match nothing. */
export function readOrigin(text: string): string {
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

function readPrompt(text: string): string {
  const prompt = text.startsWith('@')
    ? readFileOf(text.slice(1), 'Must be a text, or @ and a file that can be read.')
    : text
  return prompt.length <= longestPrompt && prompt.isWellFormed() && !prompt.includes('\0')
    ? prompt.trim()
    : refuse(`Must have at most ${longestPrompt} characters, without NUL.`)
}

function readKeyFile(file: string): string {
  return readApiKey(readFileOf(file === '-' ? 0 : file, 'Must be a file that can be read, - or none.').trim())
}

/** Reads a file by its path or descriptor, or refuses it with a sentence. */
function readFileOf(file: string | number, refusal: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return refuse(refusal)
  }
}
