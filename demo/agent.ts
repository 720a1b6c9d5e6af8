import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import type { ConversationTarget, NatterClient } from 'natter/sdk'

interface AgentOptions {
  client: NatterClient
  /** The contact of the customer who is signed in. */
  contactOf(c: Context): Promise<{ id: string } | null>
}

/** The team member, as the visitor sees her. A picture of her would need an https address. */
const nora = { name: 'Nora' }
/** The files that she sends, by the names that the visitor sees. */
const files = { 'Chelsea boots.webp': 'page/art/boots.webp', 'Care guide.txt': 'content/care.md' }
const sources = [
  { title: 'Delivery', url: 'https://acme-outfitters.example/delivery' },
  { title: 'Your orders', url: 'https://acme-outfitters.example/orders' },
]

/**
 * Acts as a member of the shop's team in the conversation of the customer who is signed in, otherwise in that of the guest
 * who has written last. The body is `{ do, text }`.
 */
export function createAgent({ client, contactOf }: AgentOptions): (c: Context) => Promise<Response> {
  const { conversations } = client
  const { messages, attachments } = conversations

  /** The id of the latest conversation of a contact, or of a guest. */
  async function findConversation(contactId: string | null): Promise<string | undefined> {
    for await (const { id, contact } of conversations.list()) if ((contact?.id ?? null) === contactId) return id
    return undefined
  }

  async function sendFiles(target: ConversationTarget): Promise<void> {
    const id = typeof target === 'string' ? target : await findConversation(target.contactId)
    if (id === undefined) throw new Error('A conversation begins with a message that has a text')
    const uploads = Object.entries(files).map(async ([name, path]) => {
      const content = new Uint8Array(await readFile(new URL(path, import.meta.url)))
      return { id: (await attachments.upload(id, { content })).id, name }
    })
    await messages.send(id, { attachments: await Promise.all(uploads), as: nora })
  }

  async function deleteLast(target: ConversationTarget): Promise<void> {
    const last = (await messages.list(target)).findLast(({ event, removedAt }) => !event && !removedAt)
    if (last) await messages.delete(target, last.id)
  }

  /** A message also takes the conversation over: the bot is silent until it is handed back. */
  const send = (target: ConversationTarget, message: { text: string; sources?: typeof sources }) =>
    messages.send(target, { ...message, format: 'markdown', as: nora })

  const writing = new Map<unknown, (target: ConversationTarget, text: string) => Promise<unknown>>([
    ['write', (target, text) => send(target, { text })],
    ['write-with-sources', (target, text) => send(target, { text, sources })],
    ['send-files', (target, text) => send(target, { text }).then(() => sendFiles(target))],
  ])
  const others = new Map<unknown, (target: ConversationTarget) => Promise<unknown>>([
    ['hand-back', target => conversations.handBack(target)],
    ['remove', deleteLast],
    ['type', target => conversations.showTyping(target, { as: nora })],
  ])

  return async c => {
    const body = (await c.req.json().catch(() => ({}))) as Record<string, unknown>
    const text = String(body['text'] ?? '').trim()
    const act = writing.get(body['do']) ?? others.get(body['do'])
    if (!act) return c.json({ title: 'do must name an action' }, 400)
    if (writing.has(body['do']) && !text) return c.json({ title: 'text is required' }, 400)
    const contact = await contactOf(c)
    const target = contact ? { contactId: contact.id } : await findConversation(null)
    if (!target) return c.json({ title: 'Nobody has written yet' }, 409)
    await act(target, text)
    return c.body(null, 204)
  }
}
