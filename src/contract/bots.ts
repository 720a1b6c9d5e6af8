import * as v from 'valibot'
import { nameSchema } from './contacts.ts'
import { id, text } from './formats.ts'
import { codePoints, fieldMessage, string } from './validation.ts'

/** What anyone may know of a bot, without a token (ours). */
export const botProfileSchema = v.object({
  id: id('Id of the bot.'),
  name: text('Its name.'),
  avatar: text('An https address of a picture, or `""`.'),
  greeting: text('Plain text; each line is a bubble of its own.'),
  quickReplies: v.pipe(v.array(v.string()), v.description('Suggestions in an empty chat.')),
  accent: v.pipe(text('`#rrggbb`, or `""` for the widget\'s own.'), v.metadata({ pattern: '^(#[0-9a-fA-F]{6})?$' })),
  locale: text('Language of what the bot says, as a BCP 47 tag, or `""`.'),
  images: v.pipe(v.boolean(), v.description('Whether pictures in messages are shown.')),
})
export type BotProfile = v.InferOutput<typeof botProfileSchema>

/** Most suggestions under a greeting or an answer (ours): more would fill a phone's whole panel. */
export const maxQuickReplies = 10
/** Longest greeting and longest quick reply, in code points (ours). */
export const maxGreetingLength = 1000
export const maxQuickReplyLength = 80

// A line break is all that may be in there: each line of a greeting is a bubble.
const isPlain = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text.replaceAll('\n', ''))
const plain = fieldMessage('invalid_character', 'Must not hold control characters or unpaired surrogates.')

/** What may be set of a bot's profile; each field is checked on its own. */
export const botSettingsSchemas = {
  name: nameSchema,
  avatar: v.pipe(
    string(),
    v.check(text => text.length <= 2048, fieldMessage('too_long', 'Must have at most 2048 characters.')),
    v.check(
      text => text === '' || (URL.canParse(text) && new URL(text).protocol === 'https:'),
      fieldMessage('invalid_format', 'Must be an address such as https://shop.example/bot.png.'),
    ),
  ),
  greeting: v.pipe(
    string(),
    v.trim(),
    v.check(isPlain, plain),
    v.check(
      text => codePoints(text) <= maxGreetingLength,
      fieldMessage('too_long', `Must have at most ${maxGreetingLength} characters.`),
    ),
  ),
  quickReply: v.pipe(
    string(),
    v.trim(),
    v.check(text => isPlain(text) && !text.includes('\n'), plain),
    v.check(text => text !== '', fieldMessage('too_short', 'Must not be empty.')),
    v.check(
      text => codePoints(text) <= maxQuickReplyLength,
      fieldMessage('too_long', `Must have at most ${maxQuickReplyLength} characters.`),
    ),
  ),
  accent: v.pipe(
    string(),
    v.regex(/^(?:#[0-9a-f]{6})?$/i, fieldMessage('invalid_format', 'Must be a colour such as #3b5bdb.')),
  ),
  locale: v.pipe(
    string(),
    v.check(isLanguageTag, fieldMessage('invalid_format', 'Must be a language tag such as en or nb-NO.')),
    v.transform(tag => Intl.getCanonicalLocales(tag)[0] ?? tag),
  ),
} as const

function isLanguageTag(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** Most messages of a conversation that a responder is shown (ours). */
export const maxHistory = 100

/** What signs webhooks: a secret (`whsec_…`), and the one that it has replaced, until some time. */
export interface SigningSecrets {
  secret: string
  former?: { secret: string; until: string }
}

/** Who answers a bot's visitors: one of the platform's responders with its settings, or people only (`none`). */
export type ResponderSettings =
  | { kind: 'none' }
  /** Answers out of a folder of Markdown, the platform's own (`--content`) where none is named. */
  | { kind: 'faq'; content?: string }
  /** Asks an address of the operator's; each request is signed. */
  | ({ kind: 'webhook'; url: string } & SigningSecrets)
  /** Asks any OpenAI-compatible endpoint; the key comes from the platform's environment. `history`: messages shown. */
  | { kind: 'openai'; baseUrl: string; model: string; prompt: string; history: number }
