import { Hono } from 'hono'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import { type Endpoint, type EndpointName, endpoints } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import type { Sessions } from './domain/sessions.ts'
import { createFileAdmission } from './fileAdmission.ts'
import { createLargeBodies } from './largeBodies.ts'
import type { AppContext, AppEnv, Middleware } from './middleware/appEnv.ts'
import { limitSize, parseRequest } from './middleware/body.ts'
import { createClientAddresses } from './middleware/clientAddress.ts'
import { createCors } from './middleware/cors.ts'
import { httpProblem } from './middleware/httpProblem.ts'
import { readIdempotencyKey } from './middleware/idempotency.ts'
import type { Metrics } from './middleware/metrics.ts'
import { observe } from './middleware/observe.ts'
import { organizationAuth } from './middleware/organizationAuth.ts'
import { handleError, noSuchPath, unavailable } from './middleware/problems.ts'
import { createRateLimits } from './middleware/rateLimit.ts'
import type { SessionLimits } from './middleware/sessionLimits.ts'
import { findBot, requireBot, widgetAuth } from './middleware/widgetAuth.ts'
import { deadlineOf, setRequestDeadline } from './requestDeadline.ts'
import type { Handlers } from './routes/handler.ts'
import type { OperationRoutes } from './routes/operations.ts'
import { chunkTemplate, type ScriptRoutes } from './routes/script.ts'
import { requireBefore } from './store/deadline.ts'
import type { Store } from './store/store.ts'

export interface AppParts {
  store: Store
  /** Grants the permits of rate limits. A grant belongs to all requests that wait for it, so it outlives each of them. */
  quotas: Pick<Store, 'consumeQuota'>
  clock: Clock
  sessions: Sessions
  logger: Logger
  metrics: Metrics
  handlers: Handlers
  script: ScriptRoutes
  operations: OperationRoutes
  devBotId: string | undefined
  rateLimit: number
  sessionLimits: SessionLimits
  trustedProxies: string[]
  isClosed: () => boolean
}

/**
 * The order of all checks of a request. Errors take precedence in this order: 431/413, unknown path 404,
 * 405, browser 403, 401, scope 403, 429, bot 404, 415, 400.
 */
export function createApp(parts: AppParts): Hono<AppEnv> {
  const { store, clock, sessions, logger, metrics, script, operations } = parts
  const addresses = createClientAddresses({
    trustedProxies: parts.trustedProxies,
    onUntrusted: () => logger.warn(untrustedProxy),
  })
  const limits = createRateLimits({
    perToken: parts.rateLimit,
    sessionLimits: parts.sessionLimits,
    clock,
    store: parts.quotas,
  })
  const cors = createCors({
    async findBot(c) {
      await limits.countLookUp(c)
      await findBot(store)(c)
    },
    devBotId: parts.devBotId,
  })
  const guards: Record<Endpoint['auth'], Middleware[]> = {
    organization: [limits.limitFailures(organizationAuth({ store, sessions, limits }))],
    widget: [cors.refuse, limits.limitFailures(widgetAuth({ sessions, limits }))],
    none: [cors.refuse],
  }

  const files = createFileAdmission({ clock })
  const largeBodies = createLargeBodies({ clock })
  const setDeadline = setRequestDeadline({ elapsed: clock.elapsed, addressOf: c => addresses.addressOf(c.env) })

  // Hono's fastest router. It does not support every pattern; an unsupported one throws at the start.
  const app = new Hono<AppEnv>({ router: new RegExpRouter() })
  app.onError(handleError(logger))
  app.use(observe({ logger, metrics, elapsed: clock.elapsed }))
  app.use((c, next) => {
    addresses.notice(c.env)
    c.set('address', addresses.addressOf(c.env))
    if (parts.isClosed()) throw unavailable()
    return setDeadline(c, next)
  })
  // A 404 for an unknown path of the widget also has CORS headers, so that a page can read the error.
  const nameWidgetPath: Middleware = (c, next) => {
    c.set('route', widgetPaths)
    return next()
  }
  app.use(toPath(widgetPaths), nameWidgetPath, cors.headers)

  const methods = new Map<string, string[]>()
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const row: Endpoint = endpoints[name]
    const handlers: Middleware[] = [onRoute(row.path, row), ...guards[row.auth]]
    if (name === 'createVisitorSession') handlers.push(limits.countNewSession)
    if (row.auth === 'none') handlers.push(requireBot)
    handlers.push(assignOwner)
    if (row.body?.maxBytes) handlers.push(largeBodies.admit(row.body.maxBytes))
    if (row.success.file) handlers.push(files.admitDownload)
    handlers.push(row.upload ? files.admitUpload : parseRequest(row, clock))
    if (name === 'sendMessage') handlers.push(limits.countEarlierMessages)
    if (row.idempotent) handlers.push(readIdempotencyKey)
    const names = row.alias ? [row.method, row.alias] : [row.method]
    app.on(names, [toPath(row.path)], ...handlers, handlerOf(parts.handlers, name, row))
    methods.set(row.path, [...(methods.get(row.path) ?? []), ...names])
    if (row.auth !== 'organization') app.options(toPath(row.path), onRoute(row.path), cors.refuse, cors.preflight)
  }
  const get = (path: string, handler: (c: AppContext) => Response | Promise<Response>): void => {
    app.get(toPath(path), onRoute(path), handler)
    methods.set(path, ['GET'])
  }
  get('/v1/openapi.json', operations.openapi)
  get('/v1/stream-check', async c => {
    await limits.countLookUp(c)
    return operations.streamCheck(c)
  })
  get('/docs', operations.docs)
  get('/docs/{page}', operations.docsPage)
  get('/healthz', operations.health)
  get('/readyz', operations.ready)
  get('/metrics', c => operations.metrics(c, addresses.isLocal))
  get('/natter.js', script.script)
  for (const [template, allowed] of methods)
    app.all(toPath(template), onRoute(template), () => {
      throw methodNotAllowed(allowed)
    })
  // The router supports no pattern for chunks beside routes with a fixed first segment.
  app.all('*', async (c, next) => {
    limitSize(c)
    if (!script.isChunk(c.req.path)) return next()
    c.set('route', chunkTemplate)
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw methodNotAllowed(['GET'])
    return script.chunk(c)
  })
  app.notFound(() => {
    throw noSuchPath()
  })
  return app
}

const widgetPaths = '/v1/bots/{botId}/widget/*'

/** Converts a path template to a path of Hono. */
const toPath = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1')

/** The first middleware of a route: sets the route's name for the log and the metrics, and the limits of its requests. */
const onRoute =
  (
    template: string,
    { body, upload, timeLimitMs }: Pick<Endpoint, 'body' | 'upload' | 'timeLimitMs'> = {},
  ): Middleware =>
  (c, next) => {
    c.set('route', template)
    if (timeLimitMs !== undefined) c.get('requestContext').limitMs = timeLimitMs
    limitSize(c, upload?.maxBytes ?? body?.maxBytes)
    return next()
  }

/** From here on the organization owns the request's store calls, no longer the client's address. */
const assignOwner: Middleware = (c, next) => {
  const owner = c.get('scope')?.organizationId ?? c.get('bot')?.organizationId
  if (owner !== undefined) c.get('requestContext').owner = owner
  return next()
}

function methodNotAllowed(methods: string[]) {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return httpProblem('method_not_allowed', { allow }, { detail: `Allowed here: ${allow}.` })
}

const untrustedProxy =
  'A request has a forwarded client address, but its sender is not a trusted proxy: rate limits use the address of the sender. ' +
  "If this server is behind a proxy, add the proxy's address to NATTER_TRUSTED_PROXIES; otherwise all clients behind the proxy share one limit."

/** Converts an endpoint's handler to one of Hono. The success response is made from the result of the handler. */
function handlerOf(handlers: Handlers, name: EndpointName, { success }: Endpoint) {
  // The middleware has set the variables of the handler's context, parsed by the schemas of the endpoint.
  const handle = handlers[name] as unknown as (c: AppContext) => Promise<object | undefined>
  return async (c: AppContext): Promise<Response> => {
    // If this process was stopped meanwhile, the client has given up, and may have sent a newer request to another node.
    requireBefore(deadlineOf(c))
    const result = await handle(c)
    if (result === undefined) return c.body(null, success.status)
    return 'status' in result ? (result as Response) : c.json(result, success.status as ContentfulStatusCode)
  }
}
