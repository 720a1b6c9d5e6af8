import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
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

/** The shop: an organization's site with a login of its own, as a standard `(Request) => Promise<Response>`. */
export async function createShop(options: ShopOptions): Promise<(request: Request) => Promise<Response>> {
  const sessions = new Map<string, Session>()
  const calls = new AsyncLocalStorage<string[]>()
  const client = createClient({
    ...options,
    async fetch(request) {
      const response = await fetch(request)
      calls.getStore()?.push(`${request.method} ${pathOf(request)} ${response.status}`)
      return response
    },
  })
  await client.contacts.upsert([...customers.values()])

  const sessionOf = (request: Request) => sessions.get(idOf(request))
  const chatToken = tokenHandler({ client, identify: request => sessionOf(request)?.customer ?? null })
  const contactOf = async (request: Request) => {
    const email = sessionOf(request)?.customer.email
    if (email === undefined) return undefined
    const { data } = await client.contacts.search({ query: email })
    return data.find(contact => contact.email === email)
  }
  /** Answers with a new token for the session, and keeps it there. */
  const makeToken = async (request: Request, session: Session) => {
    const response = await chatToken(request)
    if (response.ok) session.tokens.push(await tokenIn(response.clone()))
    if (sessionOf(request) === session) return response
    // Signed out meanwhile.
    await endChat(session).catch(error => console.error(error))
    return new Response(null, { status: 401 })
  }
  const endChat = async (session: Session | undefined) => {
    // One clock for all of them, tries included: nobody waits longer for a platform that does not answer.
    const signal = AbortSignal.timeout(5000)
    for (const token of session?.tokens.splice(0) ?? []) await client.contactTokens.revoke(token, { signal })
  }
  const endSession = async (request: Request) => {
    const session = sessionOf(request)
    sessions.delete(idOf(request))
    // Whoever signs out is signed out, whether the platform can be reached or not.
    await endChat(session).catch(error => console.error(error))
  }

  /** What the shop's own people do to a customer's contact; whoever isn't signed in has none. */
  const withContact = (act: (contactId: string) => Promise<void>) => async (request: Request) => {
    const contact = await contactOf(request)
    if (!contact) return Response.json({ title: 'There is no contact' }, { status: 409 })
    await act(contact.id)
    sessionOf(request)?.tokens.splice(0)
    return new Response(null, { status: 204 })
  }

  const routes: Record<string, (request: Request) => Promise<Response>> = {
    async 'GET /api/session'(request) {
      return Response.json({ name: sessionOf(request)?.customer.name ?? null })
    },
    async 'POST /api/sign-in'(request) {
      const customer = customers.get(new URL(request.url).searchParams.get('as') ?? '')
      if (!customer) return new Response(null, { status: 404 })
      await endSession(request)
      const id = randomBytes(32).toString('base64url')
      sessions.set(id, { customer, tokens: [] })
      const cookie = `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax`
      return Response.json({ name: customer.name }, { headers: { 'set-cookie': cookie } })
    },
    async 'POST /api/sign-out'(request) {
      await endSession(request)
      return new Response(null, { status: 204, headers: { 'set-cookie': `${cookieName}=; Path=/; Max-Age=0` } })
    },
    async 'POST /api/chat-token'(request) {
      const session = sessionOf(request)
      if (!session) return chatToken(request)
      // The page names the token that the platform has refused, if there was one.
      const body = (await request.json().catch(() => null)) as { ended?: unknown } | null
      const token = session.tokens.at(-1)
      if (token !== undefined && token !== body?.ended) return Response.json({ data: { token } })
      session.pending ??= makeToken(request, session).finally(() => {
        session.pending = undefined
      })
      return (await session.pending).clone()
    },
    async 'POST /api/revoke'(request) {
      await endChat(sessionOf(request))
      return new Response(null, { status: 204 })
    },
    'POST /api/sign-out-everywhere': withContact(id => client.contactTokens.revokeAll(id)),
    'POST /api/delete-contact': withContact(id => client.contacts.delete(id)),
    'POST /api/agent': createAgent({ client, contactOf }),
  }
  const site = createSite(options)

  return request =>
    calls.run([], async () => {
      const { pathname } = new URL(request.url)
      const isForeign = (request.headers.get('sec-fetch-site') ?? 'same-origin') !== 'same-origin'
      if (request.method === 'POST' && isForeign) return new Response(null, { status: 403 })
      const route = routes[`${request.method} ${pathname}`]
      const response = (await (route ?? site)(request)) ?? new Response(null, { status: 404 })
      response.headers.set('x-content-type-options', 'nosniff')
      if (pathname.startsWith('/api/')) {
        response.headers.set('cache-control', 'no-store')
        // For the page's log: what this server has asked the platform meanwhile.
        response.headers.set('x-platform-calls', JSON.stringify(calls.getStore()))
      }
      return response
    })
}

const tokenIn = async (response: Response): Promise<string> =>
  ((await response.json()) as { data: { token: string } }).data.token

const cookieName = 'acme_session'
const idOf = (request: Request): string =>
  new RegExp(`(?:^|; )${cookieName}=([^;]+)`).exec(request.headers.get('cookie') ?? '')?.[1] ?? ''

/** The path without the token that the one of a revocation holds. */
const pathOf = (request: Request): string => new URL(request.url).pathname.replace(/c(?::|%3A)[0-9a-f]+/i, 'c:***')
