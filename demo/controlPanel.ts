import { type Context, Hono } from 'hono'
import type { NatterClient } from 'natter/sdk'
import { createAgent } from './agent.ts'
import { type createServer, refuseForeign, type Session } from './server.ts'

/** The routes of the control panel beside the shop. A real shop has none of them. */
export function createControlPanel(
  client: NatterClient,
  { app: server, sessionOf, endSession }: Awaited<ReturnType<typeof createServer>>,
): Hono {
  /** The contact tokens of each session, for "Revoke from the server". */
  const tokens = new WeakMap<Session, string[]>()
  const contactOf = async (c: Context) => {
    const email = sessionOf(c.req.raw)?.customer.email
    return email === undefined ? null : client.contacts.retrieveByEmail(email)
  }
  const revokeTokens = async (session: Session | undefined) => {
    // One deadline for all calls of a request, including retries, if the platform does not respond.
    const signal = AbortSignal.timeout(5000)
    const all = (session && tokens.get(session)) ?? []
    for (const token of [...all]) {
      await client.contactTokens.revoke(token, { signal })
      all.splice(all.indexOf(token), 1)
    }
  }
  /** An action of the shop's staff on the customer's contact. Responds with an error if nobody is signed in. */
  const withContact = (act: (contactId: string) => Promise<void>) => async (c: Context) => {
    const contact = await contactOf(c)
    if (!contact) return c.json({ title: 'There is no contact' }, 409)
    await act(contact.id)
    return c.body(null, 204)
  }

  const panel = new Hono()
  panel.use(refuseForeign)
  // Simulates an expired session: neither the page nor the chat is notified.
  panel.post('/api/expire-session', c => {
    endSession(c.req.raw)
    return c.body(null, 204)
  })
  // Keeps the tokens that the shop's own route creates.
  panel.post('/api/contact-token', async c => {
    const session = sessionOf(c.req.raw)
    const answer = await server.fetch(c.req.raw)
    if (!session || answer.status !== 200) return answer
    tokens.set(session, [...(tokens.get(session) ?? []), await tokenIn(answer.clone())])
    if (sessionOf(c.req.raw) === session) return answer
    // The customer has signed out while the token was being created.
    await revokeTokens(session).catch(error => console.error(error))
    return c.body(null, 401)
  })
  panel.post('/api/revoke', async c => {
    await revokeTokens(sessionOf(c.req.raw))
    return c.body(null, 204)
  })
  panel.post(
    '/api/sign-out-everywhere',
    withContact(id => client.contactTokens.revokeAll(id)),
  )
  panel.post(
    '/api/delete-contact',
    withContact(id => client.contacts.delete(id)),
  )
  panel.post('/api/agent', createAgent({ client, contactOf }))
  return panel
}

const tokenIn = async (response: Response): Promise<string> =>
  ((await response.json()) as { data: { token: string } }).data.token
