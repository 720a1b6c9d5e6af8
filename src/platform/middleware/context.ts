import type { Context, MiddlewareHandler } from 'hono'
import type { Bot, SessionRow } from '../store/store.ts'

/** What the middleware finds out about a request and the routes read. */
export interface Env {
  /** The connection; absent where the platform is called in memory, with no server around it. */
  Bindings: { outgoing?: { destroy(): void } }
  Variables: {
    requestId: string
    /** The path as a template: the only form in which a path is logged, since one of them holds a token. */
    route: string
    organizationId: string
    bot: Bot
    session: SessionRow
    body: unknown
    query: unknown
  }
}

export type PlatformContext = Context<Env>
export type Middleware = MiddlewareHandler<Env>
