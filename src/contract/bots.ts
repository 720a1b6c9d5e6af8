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
