import type {
  BotProfile,
  Message,
  MessageChange,
  MessagePage,
  Session,
  StreamEvent,
  Upload,
  VisitorSession,
} from '../../contract/index.ts'

// The browser uses these guards instead of the contract's schemas, because a schema library would be larger than the rest
// of this folder. A property test checks that both accept the same values.

/** The expected shape of a value: an example of the type, a list with one item, an object, or a function that checks. */
type Shape = string | number | boolean | readonly [Shape] | { [key: string]: Shape } | ((value: unknown) => boolean)

function matches(shape: Shape, value: unknown): boolean {
  if (typeof shape === 'function') return shape(value)
  if (Array.isArray(shape) !== Array.isArray(value)) return false
  if (Array.isArray(shape)) return (value as unknown[]).every(item => matches(shape[0] as Shape, item))
  if (typeof shape !== 'object') return typeof value === typeof shape
  // The specification lets clients ignore unknown properties.
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(shape).every(([key, each]) => matches(each, (value as Record<string, unknown>)[key]))
  )
}

/** Creates a type guard. `T` must be the type that `shape` describes. */
export const createGuard =
  <T>(shape: Shape) =>
  (value: unknown): value is T =>
    matches(shape, value)

const oneOf =
  (...words: string[]) =>
  (value: unknown): boolean =>
    words.includes(value as string)

const optional =
  (shape: Shape) =>
  (value: unknown): boolean =>
    value === undefined || matches(shape, value)

const format = oneOf('plain', 'markdown')
const sender = optional({ name: '', avatar: optional('') })
const fileType = oneOf('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf', 'text/plain')
const upload = { id: '', type: fileType, size: 0, width: optional(0), height: optional(0) }
const message = {
  id: '',
  seq: 0,
  author: oneOf('visitor', 'bot', 'agent', 'system'),
  text: '',
  format,
  quickReplies: optional(['']),
  sender,
  sources: optional([{ title: '', url: '' }]),
  // Any text: events that this version does not know are stored, and not shown.
  event: optional(''),
  attachments: optional([{ ...upload, name: '' }]),
  createdAt: '',
  rating: optional(oneOf('up', 'down')),
  removedAt: optional(''),
}

export const isUpload = createGuard<Upload>(upload)
export const isMessage = createGuard<Message>(message)
export const isMessages = createGuard<Message[]>([message])
export const isMessagePage = createGuard<MessagePage>({ data: [message], revision: 0 })
export const isSession = createGuard<Session>({
  contact: value => value === null || matches({ id: '', name: '' }, value),
  conversation: { lastSeq: 0, readSeq: 0, unread: 0, revision: 0, hasEmail: optional(true) },
})
export const isVisitorSession = createGuard<VisitorSession>({ token: '', createdAt: '', expiresAt: '' })
export const isBotProfile = createGuard<BotProfile>({
  id: '',
  name: '',
  subtitle: '',
  avatar: '',
  greeting: '',
  quickReplies: [''],
  accent: '',
  locale: '',
  images: true,
  handover: true,
  agentPauseSeconds: 0,
  ratings: true,
  attachments: true,
  eraseByVisitor: true,
  email: true,
  visitors: oneOf('everyone', 'contacts'),
  openings: [{ from: '', until: '' }],
})

const change = { revision: 0, message }
export const isMessageChange = createGuard<MessageChange>(change)

const events: Record<string, Shape> = {
  opened: { nonce: '' },
  message,
  'message.changed': change,
  'message.delta': { id: '', offset: 0, text: '', format: optional(format) },
  'message.aborted': { id: '' },
  typing: { author: oneOf('bot', 'agent'), id: optional(''), sender, thinking: optional(true), status: optional('') },
  read: { seq: 0 },
  reset: {},
  'session.ended': { reason: oneOf('revoked', 'expired', 'contact_deleted', 'logged_out') },
}

/** Parses one event of the stream. Returns `null` for invalid data and for events that this version doesn't know. */
export function decodeEvent(event: string, json: string): StreamEvent | null {
  try {
    const data: unknown = JSON.parse(json)
    const shape = Object.hasOwn(events, event) && events[event]
    return shape && matches(shape, data) ? ({ event, data } as StreamEvent) : null
  } catch {
    return null
  }
}
