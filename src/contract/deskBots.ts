import * as v from 'valibot'
import { botTextSchemas, maxQuickReplies, responderKinds, botSettingsSchemas as settings } from './bots.ts'
import { hoursSchema } from './hours.ts'
import { maxEntries, object } from './validation.ts'

/** The most sites of a bot that the desk takes. */
const maxOrigins = 100

const changeable = {
  name: settings.name,
  subtitle: settings.subtitle,
  avatar: settings.avatar,
  accent: settings.accent,
  greeting: settings.greeting,
  quickReplies: v.pipe(v.array(settings.quickReply), maxEntries(maxQuickReplies)),
  origins: v.pipe(v.array(settings.origin), maxEntries(maxOrigins)),
  images: v.boolean(),
  handover: v.boolean(),
  ratings: v.boolean(),
  attachments: v.boolean(),
  eraseByVisitor: v.boolean(),
  /** `null`: the team is always there. */
  hours: v.nullable(hoursSchema),
  /** What the bot says in place of `defaultTexts`. */
  texts: object(v.partial(v.object(botTextSchemas)).entries),
}

/** The settings of a bot that admins change at the desk, and what they depend on. None of it is secret. */
export const botSettingsSchema = object({
  id: v.string(),
  ...changeable,
  responder: v.picklist(responderKinds),
  /** Of the responder `openai`; `null` if the bot has another one. */
  prompt: v.nullable(settings.prompt),
  /** In the language of the bot. */
  defaultTexts: object(botTextSchemas),
})
export type BotSettings = v.InferOutput<typeof botSettingsSchema>

/** Body of update bot settings: those that change. */
export const botUpdateSchema = object(v.partial(v.object({ ...changeable, prompt: settings.prompt })).entries)
export type BotUpdate = v.InferInput<typeof botUpdateSchema>

/** A prompt and all texts fit into the body, in any script. */
export const maxBotUpdateBytes = 256 * 1024
