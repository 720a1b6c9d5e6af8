import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import type { ConversationTarget, NatterClient } from 'natter/sdk'

interface AgentOptions {
  client: NatterClient
  /** The contact of the customer who is signed in. */
  contactOf(c: Context): Promise<{ id: string } | null>
}

/** The team member, as the visitor sees her. Her picture is a file of this site, at the address at which the page is open. */
const noraAt = (url: string) => ({ name: 'Nora', avatar: new URL('/page/art/nora.svg', url).href })
type Sender = ReturnType<typeof noraAt>
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

  async function sendFiles(target: ConversationTarget, as: Sender): Promise<void> {
    const id = typeof target === 'string' ? target : await findConversation(target.contactId)
    if (id === undefined) throw new Error('A conversation begins with a message that has a text')
    const uploads = Object.entries(files).map(async ([name, path]) => {
      const content = new Uint8Array(await readFile(new URL(path, import.meta.url)))
      return { id: (await attachments.upload(id, { content })).id, name }
    })
    await messages.send(id, { attachments: await Promise.all(uploads), as })
  }

  async function deleteLast(target: ConversationTarget): Promise<void> {
    const last = (await messages.list(target)).findLast(({ event, removedAt }) => !event && !removedAt)
    if (last) await messages.delete(target, last.id)
  }

  /** A message also takes the conversation over: the bot is silent until it is handed back. */
  const send = (target: ConversationTarget, message: { text: string; as: Sender; sources?: typeof sources }) =>
    messages.send(target, { ...message, format: 'markdown' })

  const writing = new Map<unknown, (target: ConversationTarget, as: Sender, text: string) => Promise<unknown>>([
    ['write', (target, as, text) => send(target, { text, as })],
    ['write-with-sources', (target, as, text) => send(target, { text, as, sources })],
    ['send-files', (target, as, text) => send(target, { text, as }).then(() => sendFiles(target, as))],
  ])
  const others = new Map<unknown, (target: ConversationTarget, as: Sender) => Promise<unknown>>([
    ['hand-back', target => conversations.handBack(target)],
    ['remove', deleteLast],
    ['type', (target, as) => conversations.showTyping(target, { as })],
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
    await act(target, noraAt(c.req.url), text)
    return c.body(null, 204)
  }
}
