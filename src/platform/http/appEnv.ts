import type { Context, MiddlewareHandler } from 'hono'
import type { IdempotencyKey } from '../domain/idempotency.ts'
import type { CallContext } from '../store/callContext.ts'
import type { Bot, BotScope, SessionRow, SignedInMember } from '../store/store.ts'
import type { Connection } from './connection.ts'

/** What the platform's middleware and handlers find in Hono's context. */
export interface AppEnv {
  Bindings: Connection
  Variables: {
    requestId: string
    /** The client's address if it is known, for IPv6 the /64 network. */
    address?: string | undefined
    /** Time from the arrival to the deadline, in milliseconds; set as soon as the path is known. */
    timeLimitMs: number
    /** The owner of the request's store calls, and the deadline by which everything ends that the request waits for. */
    requestContext: CallContext & { owner: string }
    /** The path's template; absent if the path is unknown. Logs and metrics use only templates: one path contains a token. */
    route?: string
    bot?: Bot | null
    /** The bot of an authenticated organization. */
    scope?: BotScope
    session?: SessionRow
    /** The member whose cookie a request to the desk has. */
    member?: SignedInMember
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
/** A check that throws a problem, or sets what it has found. */
export type Guard = (c: AppContext) => Promise<void>
