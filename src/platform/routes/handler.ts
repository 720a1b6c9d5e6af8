import type { Context } from 'hono'
import type { BodyOf, QueryOf, ResponseOf, RouteName, routes } from '../../contract/index.ts'
import type { AppContext, AppEnv } from '../http/appEnv.ts'
import type { Bot, BotScope, SessionRow, SignedInMember } from '../store/store.ts'

type AuthOf<Name extends RouteName> = (typeof routes)[Name]['auth']

/** Hono's context of a request that has passed all checks of its endpoint. */
export type EndpointContext<Name extends RouteName> = Context<{
  Bindings: AppEnv['Bindings']
  Variables: Omit<AppEnv['Variables'], 'bot' | 'scope' | 'session' | 'member' | 'query' | 'body'> & {
    /** Not on endpoints of the desk. */
    bot: Bot
    /** Only on endpoints for organizations. */
    scope: AuthOf<Name> extends 'organization' ? BotScope : undefined
    /** Only on endpoints for sessions. */
    session: AuthOf<Name> extends 'widget' ? SessionRow : undefined
    /** Only on endpoints of the desk that need a session. */
    member: AuthOf<Name> extends 'member' | 'admin' | 'signedIn' ? SignedInMember : undefined
    query: QueryOf<Name>
    body: BodyOf<Name>
  }
}>

/** An endpoint's handler. Resolves to the body of its success response, or to a response of its own. */
export type Handler<Name extends RouteName> = (
  c: EndpointContext<Name>,
) => Promise<Response> | (ResponseOf<Name> extends undefined ? Promise<void> : Promise<ResponseOf<Name> | Response>)

/** A handler for each endpoint. */
export type Handlers = { [Name in RouteName]: Handler<Name> }

/** Routes beside the endpoints, by the template of their path. */
export type OtherRoutes = Record<string, (c: AppContext) => Response | Promise<Response>>

/** Built files below a path. `template`: the path's, for the log. */
export interface BuiltFiles {
  template: string
  has(path: string): boolean
  send(c: AppContext): Promise<Response>
}

/** Not `instanceof Response`: Node's adapter may replace the global one, and handlers may return either. */
export const isResponse = (result: object): result is Response =>
  Object.prototype.toString.call(result) === '[object Response]'
