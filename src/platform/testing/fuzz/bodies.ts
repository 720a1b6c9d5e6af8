import fc from 'fast-check'
import type { EndpointName } from '../../../contract/index.ts'
import { type Fields, jsonOf, multipartOf, nastyText, nastyValue } from './arbitraries.ts'

/** A long text in a form that is short when printed. */
export interface Repeated {
  piece: string
  times: number
  end: string
}

/** Usually the first, once in `weight` + 1 times the second. */
export const mostly = <Value>(usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>, weight = 8): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare })

// The first is the email of an existing contact. It is this frequent so that generated requests often find a contact.
const person = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 15 }) },
)
const email = fc.tuple(person, fc.boolean()).map(([index, loud]) => {
  const text = `person${index}@fuzz.example`
  return loud ? text.toUpperCase() : text
})
/** An agent's message, which the visitor can rate. */
export const agentMessageId = '33333333-3333-4333-8333-333333333333'
/** A file of the agent's message. */
export const fileId = '44444444-4444-4444-8444-444444444444'
/** Uploads that no message has taken up. */
export const unsentFileIds = {
  contact: '55555555-5555-4555-8555-555555555555',
  agent: '66666666-6666-4666-8666-666666666666',
}
/** An id that nothing has. */
export const newId = fc.uuid({ version: 4 })
/** The id of a message that exists. */
export const existingId = fc.constantFrom(
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  agentMessageId,
)
const messageId = mostly(existingId, newId, 3)
const valid: Record<string, fc.Arbitrary<unknown>> = {
  name: fc.constantFrom('Ada Lovelace', 'Åse Ødegård', '山田'),
  email,
  phone: fc.constantFrom('', '+47 (22) 33 44 55'),
  wid: fc.constantFrom('', '+4712345678'),
  mid: fc.constantFrom('', 'm-1'),
  id: messageId,
  text: fc.constantFrom('Hello', 'Where is it?', '𝄞 **bold**'),
  format: fc.constantFrom('plain', 'markdown'),
  expiresInSeconds: fc.constantFrom(300, 86_400),
  attributes: fc.constantFrom({}, { plan: 'pro', cart: 3 }, { vip: true }),
  context: fc.constantFrom({}, { cart: 3, 'page.path': '/' }),
  locale: fc.constantFrom('de', 'pt-BR'),
  seq: fc.nat(5),
  as: fc.constantFrom({ name: 'Nora' }, { name: 'Nora', avatar: 'https://shop.example/nora.png' }),
  handBack: fc.boolean(),
  attachments: fc.constantFrom([], [{ id: fileId, name: 'a.txt' }]),
  rating: fc.constantFrom('up', 'down', null),
  nonce: fc.constantFrom('0123456789abcdef', 'mZk3xT0qVb8Lr2Nw6YcPdA', '-'.repeat(64)),
  before: fc.integer({ min: 1, max: 10 }),
  limit: fc.integer({ min: 1, max: 100 }),
  after: fc.nat(5),
}
const names = {
  createContactToken: ['email', 'expiresInSeconds'],
  createContact: ['name', 'email', 'phone', 'wid', 'mid'],
  updateContact: ['name', 'email', 'phone', 'wid', 'mid'],
  setContactAttributes: ['attributes'],
  sendMessage: ['id', 'text', 'attachments', 'context'],
  sendConversationMessage: ['id', 'text', 'format', 'as', 'attachments', 'handBack'],
  sendContactMessage: ['id', 'text', 'format', 'as', 'attachments', 'handBack'],
  showConversationTyping: ['as'],
  showContactTyping: ['as'],
  markRead: ['seq'],
  rateMessage: ['id', 'rating'],
  leaveEmail: ['email', 'locale'],
  stopReply: ['id'],
  retrieveSessionWithNonce: ['nonce'],
  downloadAttachmentWithNonce: ['nonce'],
  retrieveContactData: ['nonce'],
  listMessagesWithNonce: ['nonce', 'before', 'limit'],
  streamEventsWithNonce: ['nonce', 'after'],
} as const satisfies Partial<Record<EndpointName, string[]>>
const uncalledFor = ['id', 'botId', 'verified', 'createdAt', 'updatedAt', 'data', '__proto__', 'constructor', 'text']

const fieldsOf = (known: readonly string[]): fc.Arbitrary<Fields> => {
  const usual = known.map(name => mostly(valid[name] ?? nastyValue, nastyValue, 12).map(value => [name, value]))
  const extra = fc.tuple(fc.oneof(fc.constantFrom(...uncalledFor, ...known), nastyText), nastyValue)
  return fc
    .tuple(fc.tuple(...usual), mostly<Fields>(fc.constant([]), fc.array(extra, { maxLength: 3 }), 3))
    .map(([fields, more]) => [...fields, ...more] as Fields)
}

const entries = fc
  .array(
    mostly(
      fieldsOf(names.createContact).map(jsonOf),
      nastyValue.map(value => JSON.stringify(value) ?? ''),
      20,
    ),
    {
      maxLength: 4,
    },
  )
  .map(list => `{"data":[${list.join(',')}]}`)

const deep = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"data":[', '{"name":{"a":'), fc.constantFrom(1000, 8000, 100_000, 600_000))
  .map(([chunk, times]) => ({ piece: chunk, times, end: '' }))
const brokenText = fc.oneof(
  deep,
  fc.constantFrom('{', '[]', 'null', '"x"', '1', '{"data":{}}', '{"data":null}', '\ufeff{}', '{}{}', "{'name':1}", ' '),
  fc
    .integer({ min: 995, max: 1005 })
    .map(times => ({ piece: '{"data":[', times: 1, end: `${'{},'.repeat(times - 1)}{}]}` })),
  nastyText,
)
const bytes = fc.uint8Array({ maxLength: 400 })
const type = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'APPLICATION/JSON ;x',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=edge',
  'multipart/form-data',
  'multipart/form-data; boundary=""',
  'text/plain',
  '',
)

/** A request's body, and its media type. */
export interface Body {
  type: string
  body: string | Uint8Array | Repeated | null
}
/** The bytes of a generated request's body. */
export function bytesOf(body: Body['body']): Uint8Array<ArrayBuffer> | null {
  if (body === null || body instanceof Uint8Array) return body === null ? null : new Uint8Array(body)
  return new TextEncoder().encode(typeof body === 'string' ? body : body.piece.repeat(body.times) + body.end)
}

const asText = ([name, value]: Fields[number]): [string, string] => [name, String(value).toWellFormed()]
const encode = (how: string, fields: Fields): Body => {
  if (how === 'json') return { type: 'application/json', body: jsonOf(fields) }
  if (how === 'json with a mark') return { type: 'application/json', body: `\ufeff${jsonOf(fields)}` }
  const pairs = fields.map(asText)
  if (how === 'multipart') return { type: 'multipart/form-data; boundary=edge', body: multipartOf(pairs, 'edge') }
  return { type: 'application/x-www-form-urlencoded', body: String(new URLSearchParams(pairs)) }
}
const file = fc.constantFrom('Dear Ada,\n', '%PDF-1.7', '<html>', '\x89PNG\r\n\x1a\n')
/** Bodies that are no set of fields. */
const others: Partial<Record<EndpointName, fc.Arbitrary<string | Repeated | null>>> = {
  upsertContacts: entries,
  uploadAttachment: file,
  uploadConversationAttachment: file,
}
/** A body for an endpoint. */
export const bodyOf = (name: EndpointName): fc.Arbitrary<Body> => {
  const known = (names as Partial<Record<EndpointName, readonly string[]>>)[name]
  // Many endpoints take JSON only.
  const how = mostly(fc.constant('json'), fc.constantFrom('json with a mark', 'multipart', 'urlencoded'), 3)
  const usual = known
    ? fc.tuple(how, fieldsOf(known)).map(([way, fields]) => encode(way, fields))
    : (others[name] ?? fc.constantFrom(null)).map(body => ({ type: 'application/json', body }))
  const rare = fc.record<Body>({
    type,
    body: fc.oneof<fc.Arbitrary<string | Uint8Array | Repeated>[]>(brokenText, bytes),
  })
  return mostly<Body>(usual, rare, 6)
}
