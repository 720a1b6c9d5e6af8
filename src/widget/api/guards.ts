import type { BotProfile, Message, Session, StreamEvent, VisitorSession } from '../../contract/index.ts'

// Guards instead of the contract's schemas: a schema library would weigh more than the rest of this folder. A property test
// checks that both accept the same values.

/** An example of what is expected: a value of the type, a list with one item, an object, or a check. */
type Sample = string | number | boolean | readonly [Sample] | { [key: string]: Sample } | ((value: unknown) => boolean)

function fits(sample: Sample, value: unknown): boolean {
  if (typeof sample === 'function') return sample(value)
  if (Array.isArray(sample)) return Array.isArray(value) && value.every(item => fits(sample[0] as Sample, item))
  if (typeof sample !== 'object') return typeof value === typeof sample
  // Properties that the sample doesn't name are ignored (specification 2.1, rule 4).
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(sample).every(([key, each]) => fits(each, (value as Record<string, unknown>)[key]))
  )
}

/** Creates a guard from a sample. */
export const like =
  <T>(sample: Sample) =>
  (value: unknown): value is T =>
    fits(sample, value)

const oneOf =
  (...words: string[]) =>
  (value: unknown): boolean =>
    words.includes(value as string)

const optional =
  (sample: Sample) =>
  (value: unknown): boolean =>
    value === undefined || fits(sample, value)

const format = oneOf('plain', 'markdown')
const message = {
  id: '',
  seq: 0,
  author: oneOf('visitor', 'bot', 'agent', 'system'),
  text: '',
  format,
  quickReplies: optional(['']),
  createdAt: '',
}

export const isMessage = like<Message>(message)
export const isMessages = like<Message[]>([message])
export const isSession = like<Session>({
  contact: value => value === null || fits({ id: '', name: '' }, value),
  conversation: { lastSeq: 0, readSeq: 0, unread: 0 },
})
export const isVisitorSession = like<VisitorSession>({ token: '', createdAt: '', expiresAt: '' })
export const isBotProfile = like<BotProfile>({
  id: '',
  name: '',
  subtitle: '',
  avatar: '',
  greeting: '',
  quickReplies: [''],
  accent: '',
  locale: '',
  images: true,
  visitors: oneOf('everyone', 'contacts'),
})

const events: Record<string, Sample> = {
  opened: { nonce: '' },
  message,
  'message.delta': { id: '', offset: 0, text: '', format: optional(format) },
  'message.aborted': { id: '' },
  typing: { author: oneOf('bot', 'agent') },
  read: { seq: 0 },
  reset: {},
  'session.ended': { reason: oneOf('revoked', 'expired', 'contact_deleted', 'logged_out') },
}

/** One event of the stream, or `null` for what this version doesn't know. */
export function decodeEvent(event: string, json: string): StreamEvent | null {
  try {
    const data: unknown = JSON.parse(json)
    const sample = Object.hasOwn(events, event) && events[event]
    return sample && fits(sample, data) ? ({ event, data } as StreamEvent) : null
  } catch {
    return null
  }
}
