import type { Context, MiddlewareHandler } from 'hono'
import type { IdempotencyKey } from '../domain/idempotency.ts'
import type { CallContext } from '../store/callContext.ts'
import type { Bot, BotScope, SessionRow } from '../store/store.ts'
import type { Connection } from './connection.ts'

/** A request's context, which the middleware completes as soon as endpoint and organization are known. */
export interface TimedRequest extends CallContext {
  owner: string
  /** Time from the arrival to the deadline, in milliseconds. Everything that the request waits for ends by then. */
  limitMs: number
  /** Time until the deadline, in milliseconds; negative after it. */
  remainingMs(): number
}

/** What the platform's middleware and handlers find in Hono's context. */
export interface AppEnv {
  Bindings: Connection
  Variables: {
    requestId: string
    /** The client's address if it is known, for IPv6 the /64 network. */
    address?: string | undefined
    /** The time of arrival on the platform's monotonic clock. */
    arrivedAt: number
    /** The owner and the deadline of the request's store calls. */
    requestContext: TimedRequest
    /** The path's template; absent if the path is unknown. Logs and metrics use only templates: one path contains a token. */
    route?: string
    bot?: Bot | null
    /** Whether the endpoint checks the token of the request. */
    checksToken?: boolean
    /** The bot of an authenticated organization. */
    scope?: BotScope
    session?: SessionRow
    /** Gives back the room that the download takes in memory. */
    giveBackRoom?: () => void
    /** The parsed query and body. */
    query?: unknown
    body?: unknown
    idempotencyKey?: IdempotencyKey
  }
}

export type AppContext = Context<AppEnv>
export type Middleware = MiddlewareHandler<AppEnv>
