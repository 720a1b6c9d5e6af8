import type { Logger } from 'pino'
import { type Endpoint, type EndpointName, endpoints } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import type { Sessions } from './domain/sessions.ts'
import { parseRequest } from './middleware/body.ts'
import { createClientAddresses } from './middleware/clientAddress.ts'
import { createCors } from './middleware/cors.ts'
import { createDispatch, type Dispatch } from './middleware/dispatch.ts'
import type { Exchange, Step } from './middleware/exchange.ts'
import { onceOf, readIdempotencyKey } from './middleware/idempotency.ts'
import { logAnswers } from './middleware/log.ts'
import type { Metrics } from './middleware/metrics.ts'
import { organizationAuth } from './middleware/organizationAuth.ts'
import { handleError } from './middleware/problems.ts'
import { createRateLimits } from './middleware/rateLimit.ts'
import { createFindRoute, type Operation, type Route } from './middleware/router.ts'
import { findBot, requireBot, widgetAuth } from './middleware/widgetAuth.ts'
import { toAnswer } from './routes/answer.ts'
import type { Call, Handlers } from './routes/call.ts'
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
 * The order of everything a request passes. What is refused first (decisions 1): 431/413, unknown path 404, 405,
 * browser 403, 401, scope 403, 429, bot 404, 415, 400.
 */
export function createApp(parts: AppParts): Dispatch {
  const { store, clock, sessions, logger, metrics, handlers, script, operations } = parts
  const log = logAnswers(logger)
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
  const guards: Record<Endpoint['auth'], Step[]> = {
    organization: [limits.slowFailures(organizationAuth({ store, sessions, limits }))],
    widget: [cors.refuse, limits.slowFailures(widgetAuth({ sessions, limits }))],
    none: [cors.refuse],
  }
  const widget = { before: [cors.headers(findBot(store))] }
  const preflight: Operation = { steps: [cors.refuse], run: cors.preflight }

  const routes = new Map<string, Route & { operations: Map<string, Operation> }>()
  const routeOf = (template: string, more: Partial<Pick<Route, 'before' | 'pattern'>> = {}) => {
    const route = routes.get(template) ?? { template, before: [], ...more, operations: new Map<string, Operation>() }
    routes.set(template, route)
    return route.operations
  }
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const row: Endpoint = endpoints[name]
    const steps = [...guards[row.auth]]
    if (name === 'createVisitorSession') steps.push(limits.newSession)
    if (row.auth === 'none') steps.push(requireBot)
    steps.push(parseRequest(row))
    if (row.idempotent) steps.push(readIdempotencyKey)
    const operation = { maxBytes: row.body?.maxBytes, steps, run: answer(handlers, name, row) }
    const methods = routeOf(row.path, row.auth === 'organization' ? {} : widget)
    methods.set(row.method, operation)
    if (row.alias) methods.set(row.alias, operation)
    if (row.auth !== 'organization') methods.set('OPTIONS', preflight)
  }
  const get = (template: string, run: Operation['run'], pattern?: RegExp): void =>
    void routeOf(template, { ...(pattern && { pattern }) }).set('GET', { steps: [], run })
  get('/v1/openapi.json', ({ request }) => operations.openapi(request))
  get('/docs', ({ request }) => operations.docs(request))
  get('/healthz', operations.health)
  get('/readyz', operations.ready)
  get('/metrics', ({ connection }) => operations.metrics(connection, addresses.isLocal))
  get('/natter.js', ({ request }) => script.script(request))
  get(chunkTemplate, ({ request, parameters }) => script.chunk(request, parameters), chunkPattern)
  // What a widget asks for and is not there is refused like the rest, with CORS headers.
  routeOf('/v1/bots/{botId}/widget/*', widget)

  return createDispatch({
    find: createFindRoute([...routes.values()]),
    isClosed: parts.isClosed,
    elapsed: clock.elapsed,
    arrive: ({ connection }) => addresses.notice(connection),
    fail: handleError(logger),
    onAnswer(exchange, status, ms) {
      log(exchange, status, ms)
      metrics.request(exchange.request.method, exchange.route, status, ms)
    },
  })
}

const untrustedProxy =
  'A request bears a forwarded address, and its sender is no trusted proxy: limits count it for the sender. ' +
  'Where a proxy stands before this server, name its address in NATTER_TRUSTED_PROXIES; else all who come by it count as one.'

/** Calls the endpoint's handler with what the steps have found out. */
function answer(handlers: Handlers, name: EndpointName, row: Endpoint): Operation['run'] {
  const handle = handlers[name] as (call: Call<EndpointName>) => Promise<object | undefined>
  return async exchange => toAnswer(await handle(callOf(exchange)), row)
}

function callOf(exchange: Exchange): Call<EndpointName> {
  const { parameters, query, body, bot, session, request, connection } = exchange
  if (!bot) throw new Error('A call without a bot has passed its guard.')
  const scope = { organizationId: bot.organizationId, botId: bot.id }
  const disconnect = (): unknown => connection.outgoing?.destroy()
  const once = onceOf(exchange)
  // Query and body were parsed with the row's own schemas, which is what the types of a call are made from.
  return { parameters, query, body, bot, scope, session, once, request, disconnect } as unknown as Call<EndpointName>
}
