import { botSettingsSchemas, maxQuickReplies, visitorKinds } from '../../contract/index.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import type { Bot, BotChanges } from '../store/store.ts'
import { changeLimits, limitOptions } from './limitOptions.ts'
import { checked, type Options, oneOf, type ValuesOf } from './option.ts'
import { originOptions } from './originOptions.ts'
import { readUrl } from './readUrl.ts'
import { allKinds, changeResponder, responderOptions } from './responderOptions.ts'
import { changeTexts, textOptions } from './textOptions.ts'
import { UsageError } from './usageError.ts'

/** Reads `none`, or the text by another reader. */
const orNone =
  <Value, None>(none: None, read: (text: string) => Value) =>
  (text: string): Value | None =>
    text === 'none' ? none : read(text)

/** The settings of a bot. Each description says which value removes the setting, since "none" may be a greeting. */
export const botOptions = {
  name: { metavar: 'NAME', description: 'What visitors read in its header', read: checked(botSettingsSchemas.name) },
  subtitle: {
    metavar: 'TEXT',
    description: 'The line under its name, up to 80 characters, or "" for none',
    read: checked(botSettingsSchemas.subtitle),
  },
  avatar: {
    metavar: 'URL',
    description: 'Its picture: an https address, or none',
    read: orNone('', checked(botSettingsSchemas.avatar)),
  },
  greeting: {
    metavar: 'TEXT',
    description: 'Greeting in an empty chat, up to 1000 characters, or "" for none; \\n starts another bubble',
    // Line breaks are hard to type in a shell.
    read: text => checked(botSettingsSchemas.greeting)(text.replaceAll('\\n', '\n')),
  },
  'quick-reply': {
    metavar: 'TEXT',
    many: true,
    description: 'A suggestion under the greeting: up to 80 characters, at most ten suggestions, or none',
    read: orNone('none', checked(botSettingsSchemas.quickReply)),
  },
  accent: {
    metavar: 'COLOUR',
    description: 'Its colour: #rrggbb, or none',
    read: orNone('', checked(botSettingsSchemas.accent)),
  },
  locale: {
    metavar: 'TAG',
    description: "Its language, such as en, or none for that of each visitor's widget",
    read: orNone('', checked(botSettingsSchemas.locale)),
  },
  ...textOptions,
  ...originOptions,
  images: { metavar: 'yes|no', description: 'Whether answers may show images', read: oneOf('yes', 'no') },
  handover: {
    metavar: 'yes|no',
    description: 'Whether visitors may ask for a person of the team',
    read: oneOf('yes', 'no'),
  },
  ratings: { metavar: 'yes|no', description: 'Whether visitors can rate answers', read: oneOf('yes', 'no') },
  attachments: { metavar: 'yes|no', description: 'Whether files can be attached', read: oneOf('yes', 'no') },
  visitors: {
    metavar: 'everyone|contacts',
    description: 'Who may talk to it: everyone, or contacts only, which ends all anonymous chats at once',
    read: oneOf(...visitorKinds),
  },
  ...responderOptions,
  'events-url': {
    metavar: 'URL',
    description: 'Webhook for new conversations, messages of visitors and logouts, or none',
    read: orNone(null, readUrl),
  },
  'events-authors': {
    metavar: 'visitors|all',
    description: 'Whose messages are sent to the events webhook: only those of visitors (default), or all',
    read: oneOf('visitors', 'all'),
  },
  ...limitOptions,
} satisfies Options

/** The settings to change, and the secrets that were created for them. */
export function readChanges(
  given: ValuesOf<typeof botOptions>,
  before: Pick<Bot, 'responder' | 'events' | 'limits' | 'texts'>,
): { changes: BotChanges; secrets: Secrets } {
  const { name, subtitle, avatar, greeting, accent, locale, images, handover, ratings, attachments } = given
  const quickReplies = listOf(given['quick-reply'], '--quick-reply')
  if (quickReplies && quickReplies.length > maxQuickReplies)
    throw new UsageError(`--quick-reply may be given ${maxQuickReplies} times at most.`)
  const origins = listOf(given.origin, '--origin')
  const responder = changeResponder(given, before.responder)
  const url = given['events-url']
  const webhook = typeof url === 'string' ? { secret: mintWebhookSecret(), ...before.events, url } : url
  const events = withAuthors(webhook, before.events, given['events-authors'])
  const limits = changeLimits(given, before.limits)
  const texts = changeTexts(given, before.texts)
  const changes: BotChanges = {
    ...(name !== undefined && { name }),
    ...(subtitle !== undefined && { subtitle }),
    ...(avatar !== undefined && { avatar }),
    ...(greeting !== undefined && { greeting }),
    ...(quickReplies && { quickReplies }),
    ...(accent !== undefined && { accent }),
    ...(locale !== undefined && { locale }),
    ...(images !== undefined && { images: images === 'yes' }),
    ...(handover !== undefined && { handover: handover === 'yes' }),
    ...(ratings !== undefined && { ratings: ratings === 'yes' }),
    ...(attachments !== undefined && { attachments: attachments === 'yes' }),
    ...(origins && { origins }),
    ...(responder && { responder }),
    ...(events !== undefined && { events }),
    ...(limits && { limits }),
    ...(texts && { texts }),
  }
  return { changes, secrets: newSecrets(before, changes) }
}

function withAuthors(
  changed: Bot['events'] | undefined,
  before: Bot['events'],
  given: 'visitors' | 'all' | undefined,
): Bot['events'] | undefined {
  if (given === undefined) return changed
  const webhook = changed === undefined ? before : changed
  if (!webhook) throw new UsageError('--events-authors needs an address: give --events-url, too.')
  const { authors: _, ...rest } = webhook
  return given === 'all' ? { ...rest, authors: 'all' } : rest
}

/** New secrets, which are shown once. */
export interface Secrets {
  webhookSecret?: string
  eventsSecret?: string
}

function newSecrets(before: Pick<Bot, 'responder' | 'events'>, { responder, events }: BotChanges): Secrets {
  const old = allKinds(before.responder).find(each => each.kind === 'webhook')?.secret
  return {
    ...(responder?.kind === 'webhook' && responder.secret !== old && { webhookSecret: responder.secret }),
    ...(events && events.secret !== before.events?.secret && { eventsSecret: events.secret }),
  }
}

function listOf(given: string[] | undefined, flag: string): string[] | undefined {
  if (!given?.includes('none')) return given
  if (given.length > 1) throw new UsageError(`${flag} none removes all of them: give it alone.`)
  return []
}
