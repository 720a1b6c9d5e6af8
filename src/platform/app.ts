import { Hono, type Handler as HonoHandler } from 'hono'
import type { Logger } from 'pino'
import { type Endpoint, type EndpointName, endpoints } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import { problem } from './domain/problem.ts'
import type { Sessions } from './domain/sessions.ts'
import { limitSize, parseRequest } from './middleware/body.ts'
import type { Env, Middleware, PlatformContext } from './middleware/context.ts'
import { createCors } from './middleware/cors.ts'
import { logRequests } from './middleware/log.ts'
import { organizationAuth } from './middleware/organizationAuth.ts'
import { handleError, unavailable } from './middleware/problems.ts'
import { requestId } from './middleware/requestId.ts'
import { findBot, requireBot, widgetAuth } from './middleware/widgetAuth.ts'
import type { Call, Handlers } from './routes/call.ts'
import type { operationRoutes } from './routes/operations.ts'
import type { scriptRoutes } from './routes/script.ts'
import type { Store } from './store/store.ts'

export interface AppParts {
  store: Store
  clock: Clock
  sessions: Sessions
  logger: Logger
  handlers: Handlers
  script: ReturnType<typeof scriptRoutes>
  operations: ReturnType<typeof operationRoutes>
  devBotId: string | undefined
  isClosed: () => boolean
}

/**
 * The order of everything a request passes. What is refused first (decisions 1): 431/413, unknown path 404, 405,
 * browser 403, 401, scope 403, bot 404, 415, 400.
 */
export function createApp(parts: AppParts): Hono<Env> {
  const { store, clock, sessions, logger, handlers, script, operations } = parts
  const app = new Hono<Env>()
  const cors = createCors(parts.devBotId)

  app.onError(handleError(logger))
  app.use(requestId, logRequests(logger, clock))
  app.use(async (_, next) => {
    if (parts.isClosed()) throw unavailable()
    await next()
  })
  app.use('/v1/bots/:botId/widget/*', cors.headers, findBot(store), cors.preflight)

  const guards: Record<Endpoint['auth'], Middleware[]> = {
    organization: [organizationAuth({ store, sessions })],
    widget: [cors.refuse, widgetAuth(sessions)],
    none: [cors.refuse, requireBot],
  }
  const allowed = new Map<string, string[]>()
  const add = (methods: string[], template: string, ...chain: HonoHandler<Env>[]): void => {
    app.on(methods, pathOf(template), named(template), ...chain)
    allowed.set(template, [...(allowed.get(template) ?? []), ...methods])
  }

  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const row: Endpoint = endpoints[name]
    const methods = row.alias ? [row.method, row.alias] : [row.method]
    const chain = [limitSize(row.body?.maxBytes), ...guards[row.auth], parseRequest(row)]
    add(methods, row.path, ...chain, answer(handlers, name, row))
  }
  add(['GET'], '/v1/openapi.json', limitSize(), c => operations.openapi(c.req.raw))
  add(['GET'], '/healthz', limitSize(), () => operations.health())
  add(['GET'], '/natter.js', limitSize(), c => script.script(c.req.raw))
  app.get('/:folder{natter@[^/]+}/:file', named('/natter@{version}/{file}'), limitSize(), c =>
    script.chunk(c.req.raw, c.req.param('folder'), c.req.param('file')),
  )

  for (const [template, methods] of allowed)
    app.all(pathOf(template), named(template), limitSize(), refuseMethod(methods))
  app.notFound(async c => {
    await limitSize()(c, async () => {})
    throw problem('not_found', { detail: 'There is nothing at this path.' })
  })
  return app
}

const pathOf = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1')

/** Remembers the path as a template, for the log. */
const named =
  (route: string): Middleware =>
  async (c, next) => {
    c.set('route', route)
    await next()
  }

const refuseMethod = (methods: string[]): Middleware => {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return async () => {
    throw problem('method_not_allowed', { detail: `Allowed here: ${allow}.`, headers: { allow } })
  }
}

/** Calls the endpoint's handler with what the middleware has found out, and makes its row's success response. */
function answer(handlers: Handlers, name: EndpointName, { success }: Endpoint): HonoHandler<Env> {
  const handle = handlers[name] as (call: Call<EndpointName>) => Promise<unknown>
  return async c => {
    const result = await handle(callOf(c))
    if (result instanceof Response) return result
    if (result === undefined) return new Response(null, { status: success.status })
    return Response.json(result, { status: success.status })
  }
}

function callOf(c: PlatformContext): Call<EndpointName> {
  const bot = c.get('bot')
  const call = {
    parameters: c.req.param(),
    query: c.get('query'),
    body: c.get('body'),
    bot,
    scope: { organizationId: bot.organizationId, botId: bot.id },
    session: c.get('session'),
    request: c.req.raw,
    disconnect: () => c.env.outgoing?.destroy(),
  }
  // Query and body were parsed with the row's own schemas, which is what the types of a call are made from.
  return call as unknown as Call<EndpointName>
}
