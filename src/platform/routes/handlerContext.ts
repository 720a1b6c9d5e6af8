import type { BodyOf, EndpointName, endpoints, QueryOf, ResponseOf } from '../../contract/index.ts'
import type { IdempotencyKey, Outcome } from '../domain/idempotency.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'
import type { Bot, BotScope, SessionRow } from '../store/store.ts'

/** What a handler gets: a request that has passed all checks of its endpoint. */
export interface HandlerContext<Name extends EndpointName> {
  /** Path parameters, decoded. */
  parameters: Record<string, string>
  query: QueryOf<Name>
  body: BodyOf<Name>
  bot: Bot
  scope: BotScope
  /** The token's session, on endpoints of the widget that require one. */
  session: (typeof endpoints)[Name]['auth'] extends 'widget' ? SessionRow : undefined
  /**
   * Runs an effect with the request's idempotency key; sets `Idempotent-Replayed` if an earlier request had the effect.
   */
  idempotently: <Value>(run: (key: IdempotencyKey | undefined) => Promise<Outcome<Value>>) => Promise<Value>
  request: Request
  /** Closes the connection. */
  disconnect: () => void
}

/** An endpoint's handler. Resolves to the body of its success response, or to a response of its own. */
export type Handler<Name extends EndpointName> = (
  call: HandlerContext<Name>,
) =>
  | Promise<HttpResponse>
  | (ResponseOf<Name> extends undefined ? Promise<void> : Promise<ResponseOf<Name> | HttpResponse>)

/** A handler for each of these endpoints. */
export type Handlers<Names extends EndpointName = EndpointName> = { [Name in Names]: Handler<Name> }
