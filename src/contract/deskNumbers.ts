import * as v from 'valibot'
import { numbersPeriods } from './deskLimits.ts'
import { fieldMessage, object, parameters } from './validation.ts'

/** Query of the numbers. */
export const numbersQuerySchema = parameters({
  days: v.optional(v.pipe(v.picklist(numbersPeriods.map(String)), v.transform(Number)), '30'),
  bot: v.optional(v.string()),
  /** How many minutes the member's clock is ahead of UTC: its days are counted. */
  offset: v.optional(
    v.pipe(
      v.string(),
      v.transform(text => (/^-?\d{1,3}$/.test(text) ? Number(text) : Number.NaN)),
      v.check(minutes => Math.abs(minutes) <= 14 * 60, fieldMessage('out_of_range', 'Must be -840 to 840 minutes.')),
    ),
    '0',
  ),
})

/** What happened on a day. A conversation counts on each day on which its visitor wrote or asked for a person. */
export const dayNumbersSchema = object({
  date: v.string(),
  conversations: v.number(),
  /** Those of them that the responder answered, and for which no person was asked, nor wrote. */
  byBot: v.number(),
  handedOver: v.number(),
  /** How the messages of the day were rated. */
  up: v.number(),
  down: v.number(),
  /** How many seconds visitors had waited for the first answer of a person on the day; `null` if there was none. */
  firstAnswer: v.nullable(object({ median: v.number(), p90: v.number() })),
})
export type NumbersOfDay = v.InferOutput<typeof dayNumbersSchema>

/** A question that the responder's answer did not settle: it was rated down, or the visitor asked for a person within an hour. */
export const unansweredQuestionSchema = object({
  conversationId: v.string(),
  contactName: v.nullable(v.string()),
  /** At most 300 characters of it. */
  question: v.string(),
  askedAt: v.string(),
  reason: v.picklist(['rated_down', 'handed_over']),
})
export type UnansweredQuestion = v.InferOutput<typeof unansweredQuestionSchema>

/** The numbers of a period. `days` begins with the earliest, `total` is of all of them. */
export const numbersSchema = object({
  /** How many visitors wait for a person now, at most `maxDeskCount`. */
  waiting: v.number(),
  total: v.omit(dayNumbersSchema, ['date']),
  days: v.array(dayNumbersSchema),
  unanswered: v.array(unansweredQuestionSchema),
})
export type Numbers = v.InferOutput<typeof numbersSchema>
