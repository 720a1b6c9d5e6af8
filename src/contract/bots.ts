import * as v from 'valibot'

/** What anyone may know of a bot, without a token (ours). */
export const botFaceSchema = v.object({
  id: v.string(),
  name: v.string(),
  /** An https address of a picture, or `""`. */
  avatar: v.string(),
  /** Plain text; each line is a bubble of its own. */
  greeting: v.string(),
  quickReplies: v.array(v.string()),
  /** `#rrggbb`, or `""` for the widget's own. */
  accent: v.string(),
  locale: v.string(),
  images: v.boolean(),
})
export type BotFace = v.InferOutput<typeof botFaceSchema>

/** Who answers a bot's visitors: one of the platform's responders with its settings, or people only (`none`). */
export type ResponderSettings =
  | { kind: 'none' }
  /** Answers out of a folder of Markdown, the platform's own (`--content`) where none is named. */
  | { kind: 'faq'; content?: string }
  /** Asks an address of the operator's; each request is signed with `secret` (`whsec_…`). */
  | { kind: 'webhook'; url: string; secret: string }
  /** Asks any OpenAI-compatible endpoint; the key comes from the platform's environment. `history`: messages shown. */
  | { kind: 'openai'; baseUrl: string; model: string; prompt: string; history: number }
