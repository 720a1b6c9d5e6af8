import type { NatterClient } from 'natter/sdk'

interface AgentOptions {
  client: NatterClient
  /** The contact of whoever is signed in. */
  contactOf(request: Request): Promise<{ id: string } | undefined>
}

/**
 * Somebody of the shop's at work: writes to whoever has sent the request, takes the conversation over from the bot, or
 * gives it back. The body is `{ do, text, format }`.
 */
export function createAgent({ client, contactOf }: AgentOptions): (request: Request) => Promise<Response> {
  return async request => {
    const doing = (await request.json().catch(() => ({}))) as Record<string, unknown>
    const isHandBack = doing['do'] === 'hand-back'
    const text = String(doing['text'] ?? '').trim()
    if (!isHandBack && !text) return refuse(400, 'There is nothing to write')
    const contact = await contactOf(request)
    if (!contact) return refuse(409, 'There is no contact')
    const target = { contactId: contact.id }
    const format = doing['format'] === 'markdown' ? 'markdown' : 'plain'
    if (isHandBack) await client.conversations.handBack(target)
    else await client.conversations.send(target, { text, format, handBack: doing['do'] !== 'take-over' })
    return new Response(null, { status: 204 })
  }
}

const refuse = (status: number, title: string): Response => Response.json({ title }, { status })
