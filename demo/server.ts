import { randomBytes } from 'node:crypto'
import { Hono, type MiddlewareHandler } from 'hono'
import { setCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'
import { type NatterClient, tokenHandler } from 'natter/sdk'

const customers = new Map([
  ['ada', { name: 'Ada Lovelace', email: 'ada@acme-outfitters.example' }],
  ['grace', { name: 'Grace Hopper', email: 'grace@acme-outfitters.example' }],
])

/** Somebody who is signed in at the shop. */
export interface Session {
  customer: { name: string; email: string }
}

const cookieName = 'acme_session'

/** Only the shop's own pages may sign somebody in or out. */
export const refuseForeign: MiddlewareHandler = async (c, next) => {
  const isForeign = (c.req.header('sec-fetch-site') ?? 'same-origin') !== 'same-origin'
  return c.req.method === 'POST' && isForeign ? c.body(null, 403) : next()
}

/** The shop's server, as far as the chat needs it: sign-in, sign-out, and the route that tells the chat who is signed in. */
export async function createServer(client: NatterClient) {
  await client.contacts.upsert([...customers.values()])
  const sessions = new Map<string, Session>()
  const idOf = (request: Request) => parse(request.headers.get('cookie') ?? '', cookieName)[cookieName] ?? ''
  const sessionOf = (request: Request) => sessions.get(idOf(request))
  const endSession = (request: Request) => sessions.delete(idOf(request))

  const app = new Hono()
  app.use(refuseForeign)
  app.get('/api/session', c => c.json({ name: sessionOf(c.req.raw)?.customer.name ?? null }))
  app.post('/api/sign-in', c => {
    // A real shop checks a password here.
    const customer = customers.get(c.req.query('as') ?? '')
    if (!customer) return c.notFound()
    endSession(c.req.raw)
    const id = randomBytes(32).toString('base64url')
    sessions.set(id, { customer })
    setCookie(c, cookieName, id, { httpOnly: true, sameSite: 'Lax' })
    return c.json({ name: customer.name })
  })
  // Afterwards the page calls `Natter.auth.refresh()`: the widget asks again who is signed in, and revokes its own token.
  app.post('/api/sign-out', c => {
    endSession(c.req.raw)
    return c.body(null, 204)
  })
  // The widget's `tokenUrl`: who is signed in?
  const contactToken = tokenHandler({ client, identify: request => sessionOf(request)?.customer ?? null })
  app.post('/api/contact-token', c => contactToken(c.req.raw))
  return { app, sessionOf, endSession }
}
