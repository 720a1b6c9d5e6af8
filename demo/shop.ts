import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { contextStorage, tryGetContext } from 'hono/context-storage'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createClient, tokenHandler } from 'natter/sdk'
import { createAgent } from './agent.ts'
import type { ShopOptions } from './shopOptions.ts'
import { createSite } from './site.ts'

const customers = new Map([
  ['ada', { name: 'Ada Lovelace', email: 'ada@acme-outfitters.example' }],
  ['grace', { name: 'Grace Hopper', email: 'grace@acme-outfitters.example' }],
])

interface Session {
  customer: { name: string; email: string }
  /** The contact tokens of this session, for the panel's "Revoke from the server". A real shop need not store them. */
  tokens: string[]
}

/** The context of a request to the shop: the platform calls that were made for it. */
export interface ShopEnv {
  Variables: { calls: string[] }
}

/** Creates the shop: an organization's site with its own login. */
export async function createShop(options: ShopOptions): Promise<Hono<ShopEnv>> {
  const sessions = new Map<string, Session>()
  const client = createClient({
    ...options,
    async fetch(request) {
      const response = await fetch(request)
      tryGetContext<ShopEnv>()
        ?.get('calls')
        .push(`${request.method} ${pathOf(request)} ${response.status}`)
      return response
    },
  })
  await client.contacts.upsert([...customers.values()])

  const sessionOf = (c: Context | undefined) => c && sessions.get(getCookie(c, cookieName) ?? '')
  const contactToken = tokenHandler({ client, identify: () => sessionOf(tryGetContext())?.customer ?? null })
  const contactOf = async (c: Context) => {
    const email = sessionOf(c)?.customer.email
    if (email === undefined) return null
    return client.contacts.retrieveByEmail(email)
  }
  const revokeTokens = async (session: Session | undefined) => {
    // One deadline for all calls of a request, including retries, if the platform does not respond.
    const signal = AbortSignal.timeout(5000)
    for (const token of session?.tokens.splice(0) ?? []) await client.contactTokens.revoke(token, { signal })
  }
  /** After a sign-out, the widget calls its `tokenUrl`, gets a 401, and revokes its contact token itself. */
  const endSession = (c: Context) => sessions.delete(getCookie(c, cookieName) ?? '')

  /** An action of the shop's staff on the customer's contact. Responds with an error if nobody is signed in. */
  const withContact = (act: (contactId: string) => Promise<void>) => async (c: Context) => {
    const contact = await contactOf(c)
    if (!contact) return c.json({ title: 'There is no contact' }, 409)
    await act(contact.id)
    return c.body(null, 204)
  }

  const app = new Hono<ShopEnv>()
  app.use(contextStorage(), async (c, next) => {
    c.set('calls', [])
    const isForeign = (c.req.header('sec-fetch-site') ?? 'same-origin') !== 'same-origin'
    if (c.req.method === 'POST' && isForeign) return c.body(null, 403)
    await next()
    c.header('x-content-type-options', 'nosniff')
  })
  // All bodies of requests to the shop are short.
  app.use('/api/*', bodyLimit({ maxSize: 32_768 }), async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    // Tells the page's log which calls this server has made to the platform.
    c.header('x-platform-calls', JSON.stringify(c.get('calls')))
  })
  app.get('/api/session', c => c.json({ name: sessionOf(c)?.customer.name ?? null }))
  app.post('/api/sign-in', c => {
    const customer = customers.get(c.req.query('as') ?? '')
    if (!customer) return c.notFound()
    endSession(c)
    const id = randomBytes(32).toString('base64url')
    sessions.set(id, { customer, tokens: [] })
    setCookie(c, cookieName, id, { httpOnly: true, sameSite: 'Lax' })
    return c.json({ name: customer.name })
  })
  app.post('/api/sign-out', c => {
    endSession(c)
    deleteCookie(c, cookieName)
    return c.body(null, 204)
  })
  // Simulates an expired session: neither the page nor the chat is notified.
  app.post('/api/expire-session', c => {
    endSession(c)
    return c.body(null, 204)
  })
  // The widget's `tokenUrl`: who is signed in?
  app.post('/api/contact-token', async c => {
    const session = sessionOf(c)
    const answer = await contactToken(c.req.raw)
    if (!session || answer.status !== 200) return answer
    session.tokens.push(await tokenIn(answer.clone()))
    if (sessionOf(c) === session) return answer
    // The customer has signed out while the token was being created.
    await revokeTokens(session).catch(error => console.error(error))
    return c.body(null, 401)
  })
  app.post('/api/revoke', async c => {
    await revokeTokens(sessionOf(c))
    return c.body(null, 204)
  })
  app.post(
    '/api/sign-out-everywhere',
    withContact(id => client.contactTokens.revokeAll(id)),
  )
  app.post(
    '/api/delete-contact',
    withContact(id => client.contacts.delete(id)),
  )
  app.post('/api/agent', createAgent({ client, contactOf }))
  return app.route('/', createSite(options))
}

const tokenIn = async (response: Response): Promise<string> =>
  ((await response.json()) as { data: { token: string } }).data.token

const cookieName = 'acme_session'

/** Removes the token from the path of a revocation. */
const pathOf = (request: Request): string => new URL(request.url).pathname.replace(/c(?::|%3A)[0-9a-f]+/i, 'c:***')
