import { readFileSync } from 'node:fs'
import {
  answersWhileWaitingChoices,
  dayHoursSchema,
  type Hours,
  holidaySchema,
  type KindSettings,
  responderKinds as kinds,
  maxHistory,
  maxHolidays,
  maxQuickReplies,
  type ResponderSettings,
  botSettingsSchemas as schemas,
  botTextSchemas as textSchemas,
  timeZoneSchema,
  visitorKinds,
  type Weekday,
  weekdays,
} from '../../contract/index.ts'
import { defaultMegabytes, maxAttachmentMegabytes } from '../domain/attachments.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { openaiUrl } from '../responders/openai.ts'
import type { Bot, BotChanges } from '../store/store.ts'
import { UsageError } from './command.ts'
import {
  type CliOption,
  checked,
  each,
  option,
  readAddress,
  readApiKey,
  readContentUrl,
  readFolder,
  readUrl,
  refuse,
  wholeNumber,
} from './option.ts'
import { maxSessionsPerMinute, maxTurnsPerMinute } from './serveOptions.ts'

/** The value of an option that removes a setting. Commander would turn `null` into a text. */
const removed = Symbol('removed')

/** Reads `none`, or another word, as a value that removes the setting. */
const orNone =
  <Value>(read: (text: string) => Value, word = 'none') =>
  (text: string): Value | typeof removed =>
    text === word ? removed : read(text)

/** Reads `none` as an empty text, which is how the profile of a bot stores it. */
const orEmpty = (schema: Parameters<typeof checked>[0]) => (text: string) =>
  text === 'none' ? '' : checked(schema)(text)

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

const yesNo = (name: string, description: string) =>
  option(`--${name} <yes|no>`, description).argParser(
    text => text === 'yes' || (text === 'no' ? false : refuse('Must be yes or no.')),
  )

/** A limit of the bot's own, or the word that removes it: with `default`, the bot then has the limit of the server. */
const limit = (name: string, description: string, most: number, word = 'default') => {
  const read = wholeNumber(1, most, `a whole number from 1 to ${most}, or ${word}`)
  return option(`--${name} <N>`, `${description}, or ${word}`).argParser(orNone(read, word))
}

type TextKey = keyof Bot['texts']
/** The texts that can be replaced. The greeting has an option of its own. */
export const textKeys = Object.keys(textSchemas) as TextKey[]

/** Reads `KEY=TEXT` into the replacements by their keys; `KEY=none` removes one. */
function readReplacement(given: string, before: Fields | undefined): Fields {
  const [, name, text = ''] = /^(\w+)=(.*)$/s.exec(given) ?? []
  const key = textKeys.find(key => key === name) ?? refuse(`Must be KEY=TEXT, and KEY one of ${textKeys.join(', ')}.`)
  if (text === 'none') return { ...before, [key]: removed }
  return { ...before, [key]: checked(textSchemas[key])(withBreaks(text)) }
}

/** Reads `Mon-Fri 9:00-17:00, Sat 10-14` into the hours of each day. */
function readWeek(text: string): Hours['week'] {
  const week: Hours['week'] = {}
  for (const part of text.split(',')) {
    const [, first = '', last = first, from = '', to = ''] =
      /^ *([a-z]+)(?:-([a-z]+))? +([\d:]+)-([\d:]+) *$/i.exec(part) ?? []
    const [begin, end] = [first, last].map(day => weekdays.indexOf(day.toLowerCase() as Weekday)) as [number, number]
    if (begin < 0 || end < 0) refuse('Must be days and times such as "Mon-Fri 9:00-17:00, Sat 10:00-14:00", or none.')
    const hours = checked(dayHoursSchema)(`${toTime(from)}-${toTime(to)}`)
    for (let index = begin; ; index = (index + 1) % weekdays.length) {
      const day = weekdays[index] as Weekday
      if (week[day]) refuse(`Must have each day once: ${day} has two times.`)
      week[day] = hours
      if (index === end) break
    }
  }
  return week
}

/** `09:00` for `9` and `9:00`. The end of a day, `24:00`, is the beginning of the next. */
const toTime = (text: string): string => {
  const [hour = '', minutes = '00'] = text.split(':')
  return `${hour === '24' ? '00' : hour.padStart(2, '0')}:${minutes}`
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

const readPrompt = (text: string): string =>
  checked(schemas.prompt)(
    text.startsWith('@') ? readFileOf(text.slice(1), 'Must be a text, or @ and a file that can be read.') : text,
  )

const readAuthors = (text: string): string => (text === 'all' ? text : refuse('Must be one of visitors, all.'))

/** The folder of two kinds of responders. */
const content = option(
  '--content <FOLDER>',
  'faq: Markdown files to answer from; none for the folder that "natter serve" is given. openai: Markdown files of which the model gets what matches a question; initially none',
).argParser(orNone(readFolder))
const contentUrl = option(
  '--content-url <URL>',
  'The https address below which the pages of this folder are, or none: returns.md is the page returns',
).argParser(orNone(readContentUrl))

type Kind = (typeof kinds)[number]
type Part = 'bot' | Kind | 'hours' | 'events' | 'limits'
const maxMegabytesPerDay = 1_000_000

/**
 * The options of all settings, by the part of the bot that stores them and by their names there. The part is the bot
 * itself, a kind of responder, which alone uses it, its hours, its events webhook, or its limits. Each description says which value
 * removes the setting, since "none" may be a greeting.
 */
const parts: Record<Part, Record<string, CliOption>> = {
  bot: {
    name: option('--name <NAME>', 'What visitors read in its header').argParser(checked(schemas.name)),
    subtitle: option('--subtitle <TEXT>', 'The line under its name, or ""').argParser(checked(schemas.subtitle)),
    avatar: option('--avatar <URL>', 'Its picture: an https address, or none').argParser(orEmpty(schemas.avatar)),
    greeting: option(
      '--greeting <TEXT>',
      'Greeting in an empty chat, up to 1000 characters, or "" for none; \\n starts another bubble',
    ).argParser(text => checked(schemas.greeting)(withBreaks(text))),
    quickReplies: option(
      '--quick-reply <TEXT>',
      'A suggestion under the greeting: up to 80 characters, at most ten suggestions, or none; repeat it for more',
    ).argParser(listOrNone(checked(schemas.quickReply), maxQuickReplies)),
    accent: option('--accent <COLOUR>', 'Its colour: #rrggbb, or none').argParser(orEmpty(schemas.accent)),
    locale: option('--locale <TAG>', "Its language, or none for each visitor's own").argParser(orEmpty(schemas.locale)),
    texts: option(
      '--text <KEY=TEXT>',
      'What it says in place of a default text, up to 1000 characters, or KEY=none; \\n is a line break; repeat it for more',
    ).argParser(readReplacement),
    origins: option(
      '--origin <ORIGIN>',
      'A site that may embed the bot, such as https://shop.example, or none; https://*.shop.example takes all subdomains, https://host:* any port, * any site; repeat it for more',
    )
      .argParser(listOrNone(checked(schemas.origin)))
      .conflicts(['addOrigin', 'removeOrigin']),
    images: yesNo('images', 'Whether answers may show images'),
    handover: yesNo('handover', 'Whether visitors may ask for a person of the team'),
    ratings: yesNo('ratings', 'Whether visitors can rate answers'),
    attachments: yesNo('attachments', 'Whether files can be attached'),
    eraseByVisitor: yesNo('erase-by-visitor', 'Whether contacts can see what is stored about them, and erase it'),
    siteUrl: option(
      '--site-url <URL>',
      'The page with the chat, to which emails about unread messages lead, or none: no emails',
    ).argParser(text => (text === 'none' ? '' : readAddress(text))),
    emailText: yesNo('email-text', 'Whether emails contain the texts of messages'),
    visitors: option('--visitors <WHO>', 'Who may talk to it; contacts ends all anonymous chats').choices(visitorKinds),
    answersWhileWaiting: option(
      '--answer-while-waiting <WHEN>',
      'When the responder also answers visitors who wait for a person: never, while closed (initially), or always',
    ).choices(answersWhileWaitingChoices),
    responder: option('--responder <KIND>', 'Who answers: faq initially, or none for agents only').choices(kinds),
  },
  hours: {
    week: option(
      '--hours <HOURS>',
      'When your team is there: days with one time each, such as "Mon-Fri 9:00-17:00, Sat 10:00-14:00", or none; 22:00-6:00 ends on the next day, 0:00-24:00 is the whole day',
    ).argParser(orNone(readWeek)),
    timeZone: option('--time-zone <ZONE>', 'The time zone of the hours, such as Europe/Berlin').argParser(
      checked(timeZoneSchema),
    ),
    holidays: option(
      '--holiday <DATE>',
      `A day without hours, such as 2030-12-25, at most ${maxHolidays} days, or none; repeat it for more`,
    ).argParser(listOrNone(checked(holidaySchema), maxHolidays)),
  },
  faq: { content, contentUrl },
  webhook: {
    url: option('--webhook-url <URL>', 'webhook: what is asked for each answer').argParser(readUrl),
  },
  openai: {
    baseUrl: option('--openai-base-url <URL>', `openai: the endpoint; initially ${openaiUrl}`).argParser(readUrl),
    model: option('--openai-model <NAME>', 'openai: the model').argParser(checked(schemas.name)),
    prompt: option('--openai-prompt <TEXT>', 'openai: the system prompt, or @FILE, or ""').argParser(readPrompt),
    history: option(
      '--openai-history <N>',
      'openai: how many of the last messages the model gets, 1 to 100; initially 20',
    ).argParser(wholeNumber(1, maxHistory)),
    apiKey: option(
      '--openai-key-file <FILE>',
      "openai: the file with the base URL's API key, - for stdin, or none; initially the platform's key",
    ).argParser(orNone(readKeyFile)),
    content,
    contentUrl,
  },
  none: {},
  events: {
    url: option(
      '--events-url <URL>',
      'Webhook for new conversations, messages of visitors and logouts, or none',
    ).argParser(orNone(readUrl)),
    authors: option(
      '--events-authors <visitors|all>',
      'Whose messages are sent to the events webhook: only those of visitors (default), or all',
    ).argParser(orNone(readAuthors, 'visitors')),
  },
  limits: {
    turnsPerDay: limit('turns-per-day', 'Limit of replies of the responder per day (UTC)', 1_000_000_000, 'none'),
    turnsPerMinute: limit('turns-per-minute', 'Limit of replies of the responder per minute', maxTurnsPerMinute),
    conversationTurnsPerMinute: limit(
      'conversation-turns-per-minute',
      'Limit of replies per minute in one conversation',
      maxTurnsPerMinute,
    ),
    sessionsPerMinute: limit('sessions-per-minute', 'Limit of new anonymous sessions per minute', maxSessionsPerMinute),
    attachmentMegabytes: limit(
      'attachment-megabytes',
      `Limit of a file in MiB, at most ${maxAttachmentMegabytes}`,
      maxAttachmentMegabytes,
    ),
    conversationMegabytesPerDay: limit(
      'conversation-megabytes-per-day',
      `Limit of files in MiB per day (UTC) in one conversation, instead of ${defaultMegabytes.ofConversation}`,
      maxMegabytesPerDay,
    ),
    botMegabytesPerDay: limit(
      'bot-megabytes-per-day',
      `Limit of files in MiB per day (UTC) of the bot, instead of ${defaultMegabytes.ofBot}`,
      maxMegabytesPerDay,
    ),
  },
}

/** All settings. Two kinds of responders may share an option. */
const botSettings = Object.entries(parts).flatMap(([part, fields]) =>
  Object.entries(fields).map(([field, option]) => ({ part: part as Part, field, option })),
)
/** The options of all settings. */
export const settingOptions = [...new Set(botSettings.map(({ option }) => option))]

const settingsOf = (part: Part) => botSettings.filter(setting => setting.part === part)

/** Changes some of the origins that a bot has. */
export const originChanges = [
  option('--add-origin <ORIGIN>', 'Another site that may embed it; repeat it for more').argParser(
    each(checked(schemas.origin)),
  ),
  option('--remove-origin <ORIGIN>', 'One that may no longer; repeat it for more').argParser(
    each(checked(schemas.origin)),
  ),
] as const

/** Settings by their fields. */
type Fields = Record<string, unknown>

/** What the settings are changed of. */
export type Before = Pick<Bot, 'responder' | 'events' | 'limits' | 'texts' | 'origins' | 'hours'>

/** The settings to change, by the values of their options, and the secrets that were created for them. */
export function readChanges(given: Fields, before: Before) {
  const { responder: _, texts, ...profile } = givenIn('bot', given)
  const limits = givenIn('limits', given)
  const changes = {
    ...profile,
    ...(texts !== undefined && { texts: merge(before.texts, texts as Fields) }),
    ...(isAny(limits) && { limits: merge(before.limits, limits) }),
    ...changeOrigins(given, before.origins),
    ...changeResponder(given, before.responder),
    ...changeHours(givenIn('hours', given), before.hours),
    ...changeEvents(givenIn('events', given), before.events),
  } as BotChanges & Partial<Pick<Bot, 'visitors'>>
  const { responder, events } = changes
  const oldSecret = allKinds(before.responder).find(each => each.kind === 'webhook')?.secret
  const secrets = {
    ...(responder?.kind === 'webhook' && responder.secret !== oldSecret && { webhookSecret: responder.secret }),
    ...(events && events.secret !== before.events?.secret && { eventsSecret: events.secret }),
  }
  return { changes, secrets }
}

const isAny = (fields: Fields): boolean => Object.keys(fields).length > 0

/** The given settings of a part. */
const givenIn = (part: Part, given: Fields): Fields =>
  Object.fromEntries(
    settingsOf(part)
      .map(({ option, field }) => [field, given[option.attributeName()]])
      .filter(([, value]) => value !== undefined),
  )

/** The settings with changes. */
const merge = (before: object, changes: Fields): Fields =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== removed))

/** The origins after `--add-origin` and `--remove-origin`. */
function changeOrigins(given: Fields, before: string[]): Fields {
  const { addOrigin = [], removeOrigin = [] } = given as { addOrigin?: string[]; removeOrigin?: string[] }
  const unknown = removeOrigin.find(origin => !before.includes(origin))
  if (unknown !== undefined)
    throw new UsageError(`The bot does not have the origin ${unknown}. It has: ${before.join(', ') || 'none'}.`)
  const origins = [...new Set([...before, ...addOrigin])].filter(origin => !removeOrigin.includes(origin))
  return addOrigin.length + removeOrigin.length > 0 ? { origins } : {}
}

function changeHours(given: Fields, before: Bot['hours']): Fields {
  if (!isAny(given)) return {}
  if (given['week'] === removed) return { hours: null }
  const hours: Fields = { holidays: [], ...before, ...given }
  const missing = settingsOf('hours').find(({ field }) => hours[field] === undefined)
  if (missing) throw new UsageError(`The hours of a bot need ${missing.option.long}, too.`)
  return { hours }
}

function changeEvents(given: Fields, before: Bot['events']): Fields {
  if (!isAny(given)) return {}
  const { url = before?.url ?? removed, authors } = given
  if (url !== removed) return { events: merge({ secret: mintWebhookSecret(), ...before }, given) }
  if (authors === undefined) return { events: null }
  throw new UsageError('--events-authors needs an address: give --events-url, too.')
}

/** The settings of each kind of responder that the bot has or had. The first one is in use. */
const allKinds = ({ unused = [], ...inUse }: ResponderSettings): KindSettings[] => [inUse, ...unused]

function changeResponder(given: Fields, before: ResponderSettings): Fields {
  const kind = (given['responder'] ?? before.kind) as Kind
  const own = settingsOf(kind).map(({ option }) => option)
  const stray = kinds
    .flatMap(settingsOf)
    .find(({ option }) => !own.includes(option) && given[option.attributeName()] !== undefined)
  if (stray)
    throw new UsageError(
      `${stray.option.long} is for the responder ${stray.part}, and this bot's is ${kind}: add --responder ${stray.part}.`,
    )
  const changes = givenIn(kind, given)
  if (given['responder'] === undefined && !isAny(changes)) return {}
  const all = allKinds(before)
  const old = all.find(each => each.kind === kind)
  const changed = merge({ ...initialOf(kind), ...old, kind }, changes)
  const missing = settingsOf(kind).find(({ field }) => !optional.includes(field) && changed[field] === undefined)
  if (missing) throw new UsageError(`--responder ${kind} needs ${missing.option.long}.`)
  // A key that was given for another base URL is not sent to it.
  const { baseUrl } = changed
  if (old?.kind === 'openai' && old.apiKey !== undefined && baseUrl !== old.baseUrl && changes['apiKey'] === undefined)
    throw new UsageError(
      `The API key of this bot is for ${old.baseUrl}. Give the key for ${baseUrl} with --openai-key-file, or remove it with --openai-key-file none.`,
    )
  // The settings of other kinds are kept: `--responder none` must not cost the prompt.
  const unused = all.filter(each => each.kind !== kind && Object.keys(each).length > 1)
  return { responder: { ...changed, ...(unused.length > 0 && { unused }) } }
}

/** Settings that a responder can do without. */
const optional = ['content', 'contentUrl', 'apiKey']

/** The settings with which a responder begins. */
function initialOf(kind: Kind): Fields {
  if (kind === 'webhook') return { secret: mintWebhookSecret() }
  if (kind !== 'openai') return {}
  const prompt = `You answer the visitors of a website in its chat: briefly, politely and in their language.
Say so when you do not know something, and never make anything up.`
  return { baseUrl: openaiUrl, prompt, history: 20 }
}

/** The names of the settings that a responder has, without `--`. */
export const namesOf = (settings: KindSettings): string[] =>
  settingsOf(settings.kind).flatMap(({ field, option }) => (field in settings ? option.name() : []))

/** All settings of a bot by the names of their options; a list has a row for each entry. Secrets are not shown. */
export function settingRows({ hours, events, limits, ...bot }: Bot): [string, string][] {
  const stored: Partial<Record<Part, Fields>> = {
    bot: { ...bot, responder: bot.responder.kind },
    hours: { ...hours },
    events: { ...events },
    limits: { ...limits },
    ...Object.fromEntries(allKinds(bot.responder).map(settings => [settings.kind, { ...settings }])),
  }
  return botSettings.flatMap(({ part, field, option }) => {
    const settings = stored[part]
    if (!settings || (field === 'authors' && !events)) return []
    const isUnused = kinds.some(kind => kind === part && kind !== bot.responder.kind)
    const name = isUnused ? `${option.name()} (not in use)` : option.name()
    const shown = linesOf(field, settings[field])
    if (isUnused && shown.length === 0) return []
    const absent = absentTexts[field] ?? (part === 'limits' ? 'default' : 'none')
    return (shown.length > 0 ? shown : [absent]).map((line): [string, string] => [name, line])
  })
}

/** What `bot show` prints of a stored value. */
function linesOf(field: string, value: unknown): string[] {
  if (value === undefined) return []
  if (field === 'apiKey') return ['given']
  if (typeof value === 'boolean') return [value ? 'yes' : 'no']
  if (field === 'week')
    return [
      Object.entries(value as Hours['week'])
        .map(entry => entry.join(' '))
        .join(', '),
    ]
  if (field === 'texts') return Object.entries(value as Bot['texts']).map(([key, text]) => `${key}=${text}`)
  return [value].flat().map(String)
}

/** What it prints of settings that are not stored, where it is neither `none` nor a limit's `default`. */
const absentTexts: Record<string, string> = {
  origins: 'none: only "natter serve --dev" lets pages use it, those of its own machine',
  content: 'that of "natter serve" (NATTER_CONTENT)',
  authors: 'visitors',
  turnsPerDay: 'none',
}
