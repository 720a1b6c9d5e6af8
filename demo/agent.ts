import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import type { NatterClient } from 'natter/sdk'

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

/** Acts as a member of the shop's team in the conversation of the customer who is signed in. The body is `{ do, text }`. */
export function createAgent({ client, contactOf }: AgentOptions): (c: Context) => Promise<Response> {
  const { conversations } = client
  const { messages, attachments } = conversations

  async function sendFiles(contactId: string, as: Sender): Promise<void> {
    let conversationId: string | undefined
    for await (const { id, contact } of conversations.list()) if (contact?.id === contactId) conversationId ??= id
    if (conversationId === undefined) throw new Error('A conversation begins with a message that has a text')
    const uploads = Object.entries(files).map(async ([name, path]) => {
      const content = new Uint8Array(await readFile(new URL(path, import.meta.url)))
      return { id: (await attachments.upload(conversationId, { content })).id, name }
    })
    await messages.send(conversationId, { attachments: await Promise.all(uploads), as })
  }

  async function deleteLast(contactId: string): Promise<void> {
    const last = (await messages.list({ contactId })).findLast(({ event, removedAt }) => !event && !removedAt)
    if (last) await messages.delete({ contactId }, last.id)
  }

  /** A message also takes the conversation over: the bot is silent until it is handed back. */
  const send = (contactId: string, message: { text: string; as: Sender; sources?: typeof sources }) =>
    messages.send({ contactId }, { ...message, format: 'markdown' })

  const writing = new Map<unknown, (contactId: string, as: Sender, text: string) => Promise<unknown>>([
    ['write', (contactId, as, text) => send(contactId, { text, as })],
    ['write-with-sources', (contactId, as, text) => send(contactId, { text, as, sources })],
    ['send-files', (contactId, as, text) => send(contactId, { text, as }).then(() => sendFiles(contactId, as))],
  ])
  const others = new Map<unknown, (contactId: string) => Promise<unknown>>([
    ['hand-back', contactId => conversations.handBack({ contactId })],
    ['remove', deleteLast],
  ])

  return async c => {
    const body = (await c.req.json().catch(() => ({}))) as Record<string, unknown>
    const text = String(body['text'] ?? '').trim()
    const act = writing.get(body['do']) ?? others.get(body['do'])
    if (!act) return c.json({ title: 'do must name an action' }, 400)
    if (writing.has(body['do']) && !text) return c.json({ title: 'text is required' }, 400)
    const contact = await contactOf(c)
    if (!contact) return c.json({ title: 'Nobody is signed in' }, 409)
    await act(contact.id, noraAt(c.req.url), text)
    return c.body(null, 204)
  }
}
