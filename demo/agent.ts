import type { Context } from 'hono'
import type { NatterClient } from 'natter/sdk'

interface AgentOptions {
  client: NatterClient
  /** The contact of whoever is signed in. */
  contactOf(c: Context): Promise<{ id: string } | null>
}

/** As the visitor sees her. */
const nora = { name: 'Nora' }

/**
 * A member of the shop's team: writes to whoever has sent the request, takes the conversation over from the bot, or
 * hands it back. The body is `{ do, text, format }`.
 */
export function createAgent({ client, contactOf }: AgentOptions): (c: Context) => Promise<Response> {
  return async c => {
    const doing = (await c.req.json().catch(() => ({}))) as Record<string, unknown>
    const isHandBack = doing['do'] === 'hand-back'
    const text = String(doing['text'] ?? '').trim()
    if (!isHandBack && !text) return c.json({ title: 'There is nothing to write' }, 400)
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
