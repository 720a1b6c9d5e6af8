import type { BotFace, EndReason, Message, Session, StreamEvent, VisitorSession } from '../../contract/index.ts'

// Guards instead of the contract's schemas: a schema library would cost more bytes than all of the transport. A property
// test holds them against the schemas.
type Guard = (value: unknown) => boolean

const text: Guard = value => typeof value === 'string'
const number: Guard = value => typeof value === 'number' && !Number.isNaN(value)
const flag: Guard = value => typeof value === 'boolean'
const oneOf =
  (...words: string[]): Guard =>
  value =>
    words.includes(value as string)
const list =
  (item: Guard): Guard =>
  value =>
    Array.isArray(value) && value.every(item)
const either =
  (nothing: null | undefined, guard: Guard): Guard =>
  value =>
    value === nothing || guard(value)
/** Properties that it doesn't name are ignored (Spec 2.1 rule 4). */
const shape = (fields: Record<string, Guard>): Guard => {
  const entries = Object.entries(fields)
  return value =>
    typeof value === 'object' &&
    value !== null &&
    entries.every(([key, guard]) => guard((value as Record<string, unknown>)[key]))
}
const as =
  <T>(guard: Guard) =>
  (value: unknown): value is T =>
    guard(value)

const messageGuard = shape({
  id: text,
  seq: number,
  author: oneOf('visitor', 'bot', 'agent', 'system'),
  text,
  format: oneOf('plain', 'markdown'),
  quickReplies: either(undefined, list(text)),
  createdAt: text,
})

export const isMessage = as<Message>(messageGuard)
export const isMessages = as<Message[]>(list(messageGuard))
export const isSession = as<Session>(
  shape({
    contact: either(null, shape({ id: text, name: text })),
    conversation: shape({ lastSeq: number, readSeq: number, unread: number }),
  }),
)
export const isVisitorSession = as<VisitorSession>(shape({ token: text, createdAt: text, expiresAt: text }))
export const isBotFace = as<BotFace>(
  shape({
    id: text,
    name: text,
    avatar: text,
    greeting: text,
    quickReplies: list(text),
    accent: text,
    locale: text,
    images: flag,
  }),
)

const events: Record<string, Guard> = {
  message: messageGuard,
  'message.delta': shape({ id: text, offset: number, text }),
  'message.aborted': shape({ id: text }),
  typing: shape({ author: oneOf('bot', 'agent') }),
  read: shape({ seq: number }),
  reset: shape({}),
  'session.ended': shape({ reason: oneOf('revoked', 'expired', 'contact_deleted', 'logged_out') }),
}

/** One event of the stream, or `null` for what this version doesn't know. */
export function decodeEvent(event: string, json: string): StreamEvent | null {
  try {
    const data: unknown = JSON.parse(json)
    return Object.hasOwn(events, event) && events[event]?.(data) ? ({ event, data } as StreamEvent) : null
  } catch {
    return null
  }
}

/** What a 401 says about the session; a token that the platform doesn't know has been revoked as far as we can tell. */
export function endReasonOf(code: unknown): EndReason {
  return code === 'token_expired' ? 'expired' : code === 'contact_deleted' ? code : 'revoked'
}
