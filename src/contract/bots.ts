import * as v from 'valibot'
import { nameSchema } from './contacts.ts'
import { id, integer, text } from './formats.ts'
import { openingSchema } from './hours.ts'
import { localeSchema } from './locale.ts'
import { originPatternSchema } from './origin.ts'
import { fieldMessage, isTrustworthyUrl, maxCodePoints, notEmpty, object, plainText } from './validation.ts'

/** Who may talk to a bot: everyone, or only visitors who are identified as contacts. */
export const visitorKinds = ['everyone', 'contacts'] as const

/** The public profile of a bot, which needs no token. */
export const botProfileSchema = object({
  id: id('Id of the bot.'),
  name: text('Its name.'),
  subtitle: text('A line under its name, or `""`.'),
  avatar: text('An https address of a picture, or `""`.'),
  greeting: text('Plain text; each line is a bubble of its own.'),
  quickReplies: v.pipe(v.array(v.string()), v.description('Suggestions in an empty chat.')),
  accent: v.pipe(text('`#rrggbb`, or `""` for the widget\'s own.'), v.metadata({ pattern: '^(#[0-9a-fA-F]{6})?$' })),
  locale: text('Language of the bot\'s texts, as a BCP 47 tag, or `""` if it follows that of the widget.'),
  images: v.pipe(v.boolean(), v.description('Whether pictures in messages are shown.')),
  handover: v.pipe(v.boolean(), v.description('Whether visitors may ask for a person of the team.')),
  agentPauseSeconds: integer(
    'For how long the bot leaves a conversation to the agent who has written last, unless the agent hands it back.',
    0,
  ),
  ratings: v.pipe(v.boolean(), v.description('Whether visitors can rate answers.')),
  attachments: v.pipe(v.boolean(), v.description('Whether visitors can attach files.')),
  eraseByVisitor: v.pipe(
    v.boolean(),
    v.description('Whether contacts can see what is stored about them, and erase it.'),
  ),
  email: v.pipe(v.boolean(), v.description('Whether anonymous visitors can leave an email address for answers.')),
  visitors: v.pipe(v.picklist(visitorKinds), v.description('Who may talk to it: everyone, or contacts only.')),
  openings: v.pipe(
    v.array(openingSchema),
    v.description(
      'When people of the team are there: the present and the next times, in the order in which they begin. Before the first of those that have not ended yet, nobody is there. Empty if the bot has no opening hours. After the last one nothing is known: retrieve the profile again.',
    ),
  ),
})
export type BotProfile = v.InferOutput<typeof botProfileSchema>

/** The most quick replies under a greeting or a message. More would fill the panel on a phone. */
export const maxQuickReplies = 10
/** The longest subtitle, greeting and quick reply, in code points. */
export const maxSubtitleLength = 80
export const maxGreetingLength = 1000
export const maxQuickReplyLength = 80
/** The longest text that a bot says by itself, in code points. */
export const maxBotTextLength = 1000

/** An https address of a picture, or one of the browser's own machine, at most 2048 characters, or `''` for none. */
export const avatarSchema = v.pipe(
  v.string(),
  maxCodePoints(2048),
  v.check(
    text => text === '' || isTrustworthyUrl(text),
    fieldMessage('invalid_format', 'Must be an address such as https://shop.example/picture.png.'),
  ),
)

/** The longest system prompt of the responder `openai`, in code points. */
const maxPromptLength = 32_000

/** Schemas of a bot's settings, one per field. */
export const botSettingsSchemas = {
  name: nameSchema,
  avatar: avatarSchema,
  subtitle: plainText(maxSubtitleLength, 'one line'),
  greeting: plainText(maxGreetingLength, 'several lines'),
  quickReply: v.pipe(plainText(maxQuickReplyLength, 'one line'), notEmpty),
  text: v.pipe(plainText(maxBotTextLength, 'several lines'), notEmpty),
  accent: v.pipe(
    v.string(),
    v.regex(/^(?:#[0-9a-f]{6})?$/i, fieldMessage('invalid_format', 'Must be a colour such as #3b5bdb.')),
  ),
  locale: localeSchema,
  origin: originPatternSchema,
  prompt: v.pipe(
    v.string(),
    v.trim(),
    maxCodePoints(maxPromptLength),
    v.check(
      text => text.isWellFormed() && !text.includes('\0'),
      fieldMessage('invalid_character', 'Must not contain NUL or unpaired surrogates.'),
    ),
  ),
} as const

const { text: botText, quickReply } = botSettingsSchemas
/** The texts that a bot says by itself and that can be replaced, with the schema of each. */
export const botTextSchemas = {
  hello: v.pipe(
    botText,
    v.check(text => text.includes('{name}'), fieldMessage('invalid_format', 'Must contain {name}.')),
  ),
  help: botText,
  welcome: botText,
  unknown: botText,
  topics: botText,
  files: botText,
  person: quickReply,
  apology: botText,
  retry: quickReply,
  cutOff: botText,
  tooMany: botText,
  noMoreToday: botText,
} as const

/** The secret (`whsec_…`) that signs webhooks, and for some time the previous one. In the store both may be encrypted. */
export interface SigningSecrets {
  secret: string
  former?: { secret: string; until: string }
}

/** Who may reply to a bot's visitors. */
export const responderKinds = ['faq', 'webhook', 'openai', 'none'] as const

/** Who replies to a bot's visitors, and the settings of the other responders that the bot has had. */
export type ResponderSettings = KindSettings & { unused?: KindSettings[] }

/** A responder with its settings, or agents only (`none`). */
export type KindSettings =
  | { kind: 'none' }
  /**
   * Replies from a folder of Markdown files. Default: the platform's (`--content`). `contentUrl`: the address below which
   * the pages of the folder's files are.
   */
  | { kind: 'faq'; content?: string; contentUrl?: string }
  /** Sends signed requests to a URL. */
  | ({ kind: 'webhook'; url: string } & SigningSecrets)
  /**
   * Calls an OpenAI-compatible endpoint. `apiKey` is for this `baseUrl` only; without one, the platform's key is used if
   * that is for the same base URL. `history`: how many messages the model gets. `content`: a folder of Markdown files, of
   * which it gets the sections that match the question. `contentUrl`: the address below which their pages are.
   */
  | {
      kind: 'openai'
      baseUrl: string
      apiKey?: string
      model: string
      prompt: string
      history: number
      content?: string
      contentUrl?: string
    }
