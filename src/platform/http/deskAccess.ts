import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { ownMachine } from '../../contract/validation.ts'
import { type Members, sessionLifetimeMs } from '../domain/members.ts'
import { loginLifetimeMs } from '../domain/oidc.ts'
import { notFound, problem } from '../domain/problem.ts'
import type { AppContext, Guard, Middleware } from './appEnv.ts'

/** Which requests the desk takes, and its cookies. */
export type DeskAccess = ReturnType<typeof createDeskAccess>

/**
 * Creates the desk's access for the platform's public address; default: this machine, at the port at which a request arrives.
 * `Host` never counts: a page of another site can choose it.
 */
export function createDeskAccess(baseUrl: string | undefined) {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  const isHttps = url?.protocol === 'https:'
  const isSafe = !url || isHttps || ownMachine.includes(url.hostname)
  // Another host of the domain cannot set such a cookie. Browsers want https for it.
  const prefix = isHttps ? ('host' as const) : undefined
  const common = { path: '/', httpOnly: true, sameSite: 'Lax' as const, secure: isHttps, ...(prefix && { prefix }) }
  const cookie = (name: string, lifetimeMs: number) => ({
    get: (c: Context): string | undefined => getCookie(c, name, prefix),
    set: (c: Context, value: string): void => setCookie(c, name, value, { ...common, maxAge: lifetimeMs / 1000 }),
    delete: (c: Context): unknown => deleteCookie(c, name, common),
  })

  function isOwnOrigin(c: AppContext, origin: string): boolean {
    if (isHttps) return origin === url?.origin
    const port = url ? url.port || 80 : c.env.incoming?.socket.localPort
    return ownMachine.some(host => origin === URL.parse(`http://${host}:${port}`)?.origin)
  }

  /**
   * Refuses requests of other sites: whatever has an effect needs the `Origin` of the desk's own pages. There are no CORS headers,
   * so other sites can read nothing either.
   */
  const admitOwnPages: Middleware = (c, next) => {
    c.header('vary', 'Cookie')
    c.header('cross-origin-resource-policy', 'same-origin')
    if (!isSafe)
      throw problem('wrong_origin', {
        detail: 'The desk needs an address with https: start the platform with --base-url https://…',
      })
    const { method } = c.req
    if (method !== 'GET' && method !== 'HEAD' && !isOwnOrigin(c, c.req.header('origin') ?? ''))
      throw problem('wrong_origin')
    return next()
  }

  return {
    admitOwnPages,
    /** The cookie with the token of the session. */
    session: cookie('natter-desk', sessionLifetimeMs),
    /** The cookie of a sign-in by OpenID Connect that has begun. */
    login: cookie('natter-desk-login', loginLifetimeMs),
  }
}

/**
 * Admits members with an open session. All pages of a browser share its cookie, and a page must not act in the name of another
 * member who has signed in since. So each request names the member whose page it is: in the header `Natter-Member` or, where a
 * page cannot set one, as `member` in the query. Without `mustName` it may name none.
 */
export const memberAuth =
  (options: {
    members: Pick<Members, 'require'>
    access: DeskAccess
    limits: { countMemberRequest: (c: AppContext, tokenHash: string) => void }
    mustName: boolean
  }): Guard =>
  async c => {
    const token = options.access.session.get(c)
    if (token === undefined) throw problem('unauthorized', { detail: 'Sign in at the desk.', headers: {} })
    const member = await options.members.require(token)
    options.limits.countMemberRequest(c, member.sessionHash)
    const named = c.req.header('natter-member') ?? c.req.query('member')
    if (named !== member.id && (named !== undefined || options.mustName))
      throw problem('unauthorized', { detail: 'This is not a page of the member who is signed in.', headers: {} })
    c.set('member', member)
  }

/** Answers agents as if there were no such path. */
export const requireAdmin: Middleware = (c, next) => {
  if (c.get('member')?.role !== 'admin') throw notFound()
  return next()
}
