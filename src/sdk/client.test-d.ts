// Checked by tsc alone: each line below a directive must not compile, and everything else must.
import {
  type AttachmentInput,
  type AttachmentUploadParams,
  type Contact,
  type ContactCreateParams,
  type ContactUpdateParams,
  createClient,
  isApiError,
  type Source,
  tokenHandler,
  type Upload,
  verifyWebhook,
} from './index.ts'

const client = createClient({ baseUrl: process.env['URL'], botId: 'b', organizationToken: process.env['TOKEN'] })
// @ts-expect-error: the bot is missing
createClient({ baseUrl: 'https://chat.example', organizationToken: 'o_' })
// @ts-expect-error: misspelt
createClient({ baseUrl: '', botId: '', organizationToken: '', timeout: 1000 })

const { contacts, conversations, contactTokens } = client
const options = { signal: AbortSignal.timeout(1000), timeoutMs: 500 }

contacts.create({ name: 'Ada', email: 'ada@example.com', phone: undefined }, { ...options, idempotencyKey: 'k' })
// @ts-expect-error: a contact needs an email
contacts.create({ name: 'Ada' })
// @ts-expect-error: phone numbers are strings
contacts.create({ name: 'Ada', email: 'ada@example.com', phone: 22 })

contacts.upsert([{ email: 'ada@example.com' }] as const, { onProgress: ({ done, total }) => done / total })
// @ts-expect-error: an entry is known by its email
contacts.upsert([{ name: 'Ada' }])

contacts.search({ page: 2 }, { ...options, maxRetries: 0 })
export const found: AsyncIterable<Contact> = contacts.search()
export const page: Promise<{ data: Contact[] }> = contacts.search({ email: 'ada@example.com' })
export const ada: Promise<Contact | null> = contacts.retrieveByEmail('ada@example.com')
export const params: ContactCreateParams & ContactUpdateParams = { name: 'Ada', email: 'ada@example.com' }
// @ts-expect-error: misspelt
contacts.search({ mail: 'ada@example.com' })

contacts.update('1', { name: 'Ada' }, { idempotencyKey: 'k' })
// @ts-expect-error: the id belongs to the platform
contacts.update('1', { id: '2' })

contactTokens.create({ id: '1' }, options)
// @ts-expect-error: whose?
contactTokens.create({})

conversations.messages.list({ contactId: '1' }, { before: 7 })
// @ts-expect-error: neither a conversation's id nor a contact
conversations.messages.list({ id: '1' })
// @ts-expect-error: seqs are numbers
conversations.messages.list('1', { before: '7' })
conversations.messages.send('1', { text: 'Hello', format: 'markdown' })
// @ts-expect-error: no such format
conversations.messages.send('1', { text: 'Hello', format: 'html' })
// @ts-expect-error: nothing is said; that is handBack
conversations.messages.send('1', { handBack: true })
conversations.messages.list('1').then(messages => messages.map(({ event }): string | undefined => event))

const file: AttachmentUploadParams = { content: new Uint8Array(3) }
export const uploaded: Promise<Upload> = conversations.attachments.upload('1', file)
const attachments: AttachmentInput[] = [{ id: '1', name: 'a.pdf' }]
const sources: Source[] = [{ title: 'Guide', url: 'https://shop.example/guide' }]
conversations.messages.send('1', { attachments, sources })
conversations.list().then(({ data }) => data.map(({ waitingSince }): string | null => waitingSince))

tokenHandler({ client, identify: () => ({ email: 'ada@example.com', name: 'Ada' }) })
// @ts-expect-error: one or the other
tokenHandler({ client, identify: () => ({ email: 'ada@example.com', id: '1' }) })

export async function read(request: Request): Promise<string> {
  const event = await verifyWebhook({ secret: process.env['SECRET'], headers: request.headers, body: 'x' })
  // @ts-expect-error: not every kind has a message
  event.data.message
  // @ts-expect-error: not to be confused with a parsed body
  verifyWebhook({ secret: '', headers: {}, body: { type: 'message.created' } })
  // @ts-expect-error: it is about a conversation, not about a message.
  if (event.type === 'handover.requested') return event.data.message
  // @ts-expect-error: nobody knows what it is about
  if (event.type === 'unknown') event.data.message
  if (event.type === 'unknown') return event.unknownType
  if (event.type === 'turn.requested') return event.data.messages.map(({ text }) => text).join()
  return event.type === 'message.created' ? event.data.message.text : event.id
}

export function explain(error: unknown): string | undefined {
  // @ts-expect-error: it may be any error
  error.code
  if (!isApiError(error)) return undefined
  if (error.code === 'email_taken') return error.conflict?.contactId
  // @ts-expect-error: what the platform has said stands
  error.code = 'other'
  return error.errors[0]?.pointer
}
