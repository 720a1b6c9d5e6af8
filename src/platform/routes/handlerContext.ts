import type { BodyOf, EndpointName, endpoints, QueryOf, ResponseOf } from '../../contract/index.ts'
import type { Outcome } from '../domain/idempotency.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'
import type { Bot, BotScope, SessionRow } from '../store/store.ts'

/** A request that has passed every check of its endpoint's row. */
export interface HandlerContext<Name extends EndpointName> {
  /** Path parameters, decoded. */
  parameters: Record<string, string>
  query: QueryOf<Name>
  body: BodyOf<Name>
  bot: Bot
  scope: BotScope
  /** The bearer's session, on the widget's endpoints that ask for one. */
  session: (typeof endpoints)[Name]['auth'] extends 'widget' ? SessionRow : undefined
  /** Does what must count once with the request's idempotency key, and tells the client where it had been done before. */
  idempotently: <Value>(run: (key: string | undefined) => Promise<Outcome<Value>>) => Promise<Value>
  request: Request
  /** Breaks the connection. */
  disconnect: () => void
}

/** What an endpoint does: resolves to the body of its row's success response, or to an answer of its own. */
export type Handler<Name extends EndpointName> = (
  call: HandlerContext<Name>,
) =>
  | Promise<HttpResponse>
  | (ResponseOf<Name> extends undefined ? Promise<void> : Promise<ResponseOf<Name> | HttpResponse>)

/** One handler for each endpoint named. */
export type Handlers<Names extends EndpointName = EndpointName> = { [Name in Names]: Handler<Name> }
