import type { Context } from 'hono'
import type { NatterClient } from 'natter/sdk'

interface AgentOptions {
  client: NatterClient
  /** The contact of the customer who is signed in. */
  contactOf(c: Context): Promise<{ id: string } | null>
}

/** Name and picture of the team member, as the visitor sees them. */
const nora = { name: 'Nora' }

/**
 * Acts as a member of the shop's team: writes to the customer of the request, takes over the conversation from the bot, or
 * hands it back. The body is `{ do, text, format }`.
 */
export function createAgent({ client, contactOf }: AgentOptions): (c: Context) => Promise<Response> {
  return async c => {
    const doing = (await c.req.json().catch(() => ({}))) as Record<string, unknown>
    const isHandBack = doing['do'] === 'hand-back'
    const text = String(doing['text'] ?? '').trim()
    if (!isHandBack && !text) return c.json({ title: 'text is required' }, 400)
    const contact = await contactOf(c)
    if (!contact) return c.json({ title: 'There is no contact' }, 409)
    const target = { contactId: contact.id }
    const format = doing['format'] === 'markdown' ? 'markdown' : 'plain'
    if (isHandBack) await client.conversations.handBack(target)
    else
      await client.conversations.messages.send(target, {
        text,
        format,
        as: nora,
        handBack: doing['do'] !== 'take-over',
      })
    return c.body(null, 204)
  }
}
