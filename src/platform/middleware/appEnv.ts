import type { Context, MiddlewareHandler } from 'hono'
import type { IdempotencyKey } from '../domain/idempotency.ts'
import type { Bot, BotScope, Requester, SessionRow } from '../store/store.ts'
import type { Connection } from './connection.ts'

/** The one deadline of a request, which all that it waits for shares. */
export interface RequestDeadline extends Requester {
  /** How long after its arrival the request is answered at the latest. */
  limitMs: number
}

/** What the platform's middleware and handlers find in Hono's context. */
export interface AppEnv {
  Bindings: Connection
  Variables: {
    requestId: string
    /** The client's address, if it is known: of IPv6 the /64 network. */
    address?: string | undefined
    /** When it arrived, on the platform's monotonic clock. */
    arrivedAt: number
    /** Whose turn its calls of the store take, and until when. */
    requester: RequestDeadline
    /** The path's template; none if the path is unknown. Logs and metrics use only this form: one path has a token. */
    route?: string
    bot?: Bot | null
    /** The bot of an authenticated organization. */
    scope?: BotScope
    session?: SessionRow
    /** The parsed query and body. */
    query?: unknown
    body?: unknown
    idempotencyKey?: IdempotencyKey
  }
}

export type AppContext = Context<AppEnv>
export type Middleware = MiddlewareHandler<AppEnv>
