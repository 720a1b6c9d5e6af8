import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { contextStorage, tryGetContext } from 'hono/context-storage'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createClient, tokenHandler } from 'natter/sdk'
import { createAgent } from './agent.ts'
import { createSite } from './site.ts'

/** Where the platform is, and what only a server may know of it. */
export interface ShopOptions {
  baseUrl: string
  botId: string
  organizationToken: string
}

const customers = new Map([
  ['ada', { name: 'Ada Lovelace', email: 'ada@acme-outfitters.example' }],
  ['grace', { name: 'Grace Hopper', email: 'grace@acme-outfitters.example' }],
])

interface Session {
  customer: { name: string; email: string }
  /** The contact tokens made for this session. Its pages get the last one; signing out revokes them all. */
  tokens: string[]
  /** A token is being made: pages that ask meanwhile get the same. */
  pending?: Promise<Response> | undefined
}

/** What a request of the shop's finds in its context: the calls of the platform that were made for it. */
export interface ShopEnv {
  Variables: { calls: string[] }
}

/** The shop: an organization's site with a login of its own. */
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
  /** Keeps the token that an answer holds with the session. 401 if the customer has signed out meanwhile. */
  const keepToken = async (c: Context, session: Session, answer: Response) => {
    if (answer.status === 200) session.tokens.push(await tokenIn(answer.clone()))
    if (sessionOf(c) === session) return answer
    await endChat(session).catch(error => console.error(error))
    return new Response(null, { status: 401 })
  }
  /** Answers with a new token for the session. */
  const makeToken = async (c: Context, session: Session) => {
    const [contact] = await client.contacts.upsert([session.customer])
    const data = await client.contactTokens.create({ id: contact?.id ?? '', expiresInSeconds: daySeconds })
    return keepToken(c, session, c.json({ data }))
  }
  const endChat = async (session: Session | undefined) => {
    // One clock for all of them, tries included: nobody waits longer for a platform that does not answer.
    const signal = AbortSignal.timeout(5000)
    for (const token of session?.tokens.splice(0) ?? []) await client.contactTokens.revoke(token, { signal })
  }
  const endSession = async (c: Context) => {
    const session = sessionOf(c)
    sessions.delete(getCookie(c, cookieName) ?? '')
    // Whoever signs out is signed out, whether the platform can be reached or not.
    await endChat(session).catch(error => console.error(error))
  }

  /** What the shop's own people do to a customer's contact; whoever isn't signed in has none. */
  const withContact = (act: (contactId: string) => Promise<void>) => async (c: Context) => {
    const contact = await contactOf(c)
    if (!contact) return c.json({ title: 'There is no contact' }, 409)
    await act(contact.id)
    sessionOf(c)?.tokens.splice(0)
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
  // The shop's requests have short bodies.
  app.use('/api/*', bodyLimit({ maxSize: 32_768 }), async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    // For the page's log: what this server has asked the platform meanwhile.
    c.header('x-platform-calls', JSON.stringify(c.get('calls')))
  })
  app.get('/api/session', c => c.json({ name: sessionOf(c)?.customer.name ?? null }))
  app.post('/api/sign-in', async c => {
    const customer = customers.get(c.req.query('as') ?? '')
    if (!customer) return c.notFound()
    await endSession(c)
    const id = randomBytes(32).toString('base64url')
    sessions.set(id, { customer, tokens: [] })
    setCookie(c, cookieName, id, { httpOnly: true, sameSite: 'Lax' })
    return c.json({ name: customer.name })
  })
  app.post('/api/sign-out', async c => {
    await endSession(c)
    deleteCookie(c, cookieName)
    return c.body(null, 204)
  })
  // As when its time is over: neither the page nor the chat is told.
  app.post('/api/expire-session', c => {
    sessions.delete(getCookie(c, cookieName) ?? '')
    return c.body(null, 204)
  })
  // What the widget asks by itself.
  app.post('/api/contact-token', async c => {
    const session = sessionOf(c)
    const answer = await contactToken(c.req.raw)
    return session ? keepToken(c, session, answer) : answer
  })
  // What the page asks, to log in by hand.
  app.post('/api/chat-token', async c => {
    const session = sessionOf(c)
    if (!session) return c.json({ title: 'Nobody is signed in' }, 401)
    // The page names the token that the platform has refused, if there was one.
    const body = (await c.req.json().catch(() => null)) as { ended?: unknown } | null
    const token = session.tokens.at(-1)
    if (token !== undefined && token !== body?.ended) return c.json({ data: { token } })
    session.pending ??= makeToken(c, session).finally(() => {
      session.pending = undefined
    })
    return (await session.pending).clone()
  })
  app.post('/api/revoke', async c => {
    await endChat(sessionOf(c))
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
const daySeconds = 24 * 60 * 60

/** The path without the token that the one of a revocation holds. */
const pathOf = (request: Request): string => new URL(request.url).pathname.replace(/c(?::|%3A)[0-9a-f]+/i, 'c:***')
