import type { Logger } from 'pino'
import { type Endpoint, type EndpointName, endpoints } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import type { Sessions } from './domain/sessions.ts'
import { createLargeBodies } from './largeBodies.ts'
import { parseRequest } from './middleware/body.ts'
import { createClientAddresses } from './middleware/clientAddress.ts'
import { createCors } from './middleware/cors.ts'
import { createIdempotently, readIdempotencyKey } from './middleware/idempotency.ts'
import { logResponses } from './middleware/log.ts'
import type { Metrics } from './middleware/metrics.ts'
import { organizationAuth } from './middleware/organizationAuth.ts'
import { createPipeline, type RequestHandler } from './middleware/pipeline.ts'
import { handleError } from './middleware/problems.ts'
import { createRateLimits } from './middleware/rateLimit.ts'
import type { Middleware, RequestContext } from './middleware/requestContext.ts'
import { createFindRoute, type Route, type RouteOperation } from './middleware/router.ts'
import { findBot, requireBot, widgetAuth } from './middleware/widgetAuth.ts'
import type { HandlerContext, Handlers } from './routes/handlerContext.ts'
import { toHttpResponse } from './routes/jsonResponse.ts'
import type { OperationRoutes } from './routes/operations.ts'
import { chunkPattern, chunkTemplate, type scriptRoutes } from './routes/script.ts'
import type { Store } from './store/store.ts'

export interface AppParts {
  store: Store
  clock: Clock
  sessions: Sessions
  logger: Logger
  metrics: Metrics
  handlers: Handlers
  script: ReturnType<typeof scriptRoutes>
  operations: OperationRoutes
  devBotId: string | undefined
  rateLimit: number
  trustedProxies: string[]
  isClosed: () => boolean
}

/**
 * The order of all checks of a request. Errors take precedence in this order (decisions 1): 431/413, unknown path 404,
 * 405, browser 403, 401, scope 403, 429, bot 404, 415, 400.
 */
export function createApp(parts: AppParts): RequestHandler {
  const { store, clock, sessions, logger, metrics, handlers, script, operations } = parts
  const log = logResponses(logger)
  const cors = createCors(parts.devBotId)
  const addresses = createClientAddresses({
    trustedProxies: parts.trustedProxies,
    onUntrusted: () => logger.warn(untrustedProxy),
  })
  const limits = createRateLimits({
    perToken: parts.rateLimit,
    elapsed: clock.elapsed,
    addressOf: ({ connection }) => addresses.addressOf(connection),
    store,
  })
  const guards: Record<Endpoint['auth'], Middleware[]> = {
    organization: [limits.slowFailures(organizationAuth({ store, sessions, limits }))],
    widget: [cors.refuse, limits.slowFailures(widgetAuth({ sessions, limits }))],
    none: [cors.refuse],
  }
  const widget = { before: [cors.headers(findBot(store))] }
  const preflight: RouteOperation = { middleware: [cors.refuse], run: cors.preflight }

  const largeBodies = createLargeBodies()
  const inTurn = (parts: Middleware[], handle: RouteOperation['run']) => (context: RequestContext) =>
    largeBodies.inTurn(context.bot?.organizationId ?? '', async () => {
      for (const part of parts) await part(context)
      return handle(context)
    })
  const routes = new Map<string, Route & { operations: Map<string, RouteOperation> }>()
  const routeOf = (template: string, more: Partial<Pick<Route, 'before' | 'pattern'>> = {}) => {
    const route = routes.get(template) ?? {
      template,
      before: [],
      ...more,
      operations: new Map<string, RouteOperation>(),
    }
    routes.set(template, route)
    return route.operations
  }
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const row: Endpoint = endpoints[name]
    const middleware = [...guards[row.auth]]
    if (name === 'createVisitorSession') middleware.push(limits.newSession)
    if (row.auth === 'none') middleware.push(requireBot)
    const parts = [parseRequest(row), ...(row.idempotent ? [readIdempotencyKey] : [])]
    const handle = operationOf(handlers, name, row)
    const maxBytes = row.body?.maxBytes
    const operation: RouteOperation = maxBytes
      ? { maxBytes, middleware, run: inTurn(parts, handle) }
      : { middleware: [...middleware, ...parts], run: handle }
    const methods = routeOf(row.path, row.auth === 'organization' ? {} : widget)
    methods.set(row.method, operation)
    if (row.alias) methods.set(row.alias, operation)
    if (row.auth !== 'organization') methods.set('OPTIONS', preflight)
  }
  const get = (template: string, run: RouteOperation['run'], pattern?: RegExp): void =>
    void routeOf(template, { ...(pattern && { pattern }) }).set('GET', { middleware: [], run })
  get('/v1/openapi.json', ({ request }) => operations.openapi(request))
  get('/docs', ({ request }) => operations.docs(request))
  get('/healthz', operations.health)
  get('/readyz', operations.ready)
  get('/metrics', ({ connection }) => operations.metrics(connection, addresses.isLocal))
  get('/natter.js', ({ request }) => script.script(request))
  get(chunkTemplate, ({ request, parameters }) => script.chunk(request, parameters), chunkPattern)
  // Unknown paths of the widget are 404 with CORS headers, so that a page can read the error.
  routeOf('/v1/bots/{botId}/widget/*', widget)

  return createPipeline({
    find: createFindRoute([...routes.values()]),
    isClosed: parts.isClosed,
    elapsed: clock.elapsed,
    onRequest: ({ connection }) => addresses.notice(connection),
    onError: handleError(logger),
    onResponse(context, status, ms) {
      log(context, status, ms)
      metrics.request(context.request.method, context.route, status, ms)
    },
  })
}

const untrustedProxy =
  'A request has a forwarded client address, but its sender is not a trusted proxy: rate limits use the address of the sender. ' +
  'If this server is behind a proxy, add its address to NATTER_TRUSTED_PROXIES; otherwise all clients behind it share one limit.'

/** Calls the endpoint's handler with what the middleware has found. */
function operationOf(handlers: Handlers, name: EndpointName, row: Endpoint): RouteOperation['run'] {
  const handle = handlers[name] as (call: HandlerContext<EndpointName>) => Promise<object | undefined>
  return async context => toHttpResponse(await handle(toHandlerContext(context)), row)
}

function toHandlerContext(context: RequestContext): HandlerContext<EndpointName> {
  const { parameters, query, body, bot, session, request, connection } = context
  if (!bot) throw new Error('A request without a bot reached a handler.')
  const scope = { organizationId: bot.organizationId, botId: bot.id }
  const disconnect = (): unknown => connection.outgoing?.destroy()
  const idempotently = createIdempotently(context)
  // Query and body were parsed with the endpoint's own schemas, from which the types of the context derive.
  return {
    parameters,
    query,
    body,
    bot,
    scope,
    session,
    idempotently,
    request,
    disconnect,
  } as unknown as HandlerContext<EndpointName>
}
