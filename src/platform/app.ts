import { Hono } from 'hono'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import { defaultTimeLimitMs, type Route, type RouteName, routes } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import type { Members } from './domain/members.ts'
import { problem } from './domain/problem.ts'
import type { Sessions } from './domain/sessions.ts'
import type { AppContext, AppEnv, Middleware } from './http/appEnv.ts'
import { organizationAuth, requireBot, widgetAuth } from './http/auth.ts'
import { createClientAddresses } from './http/clientAddress.ts'
import { createCors } from './http/cors.ts'
import { type DeskAccess, memberAuth, requireAdmin } from './http/deskAccess.ts'
import { readIdempotencyKey } from './http/idempotency.ts'
import type { Metrics, MetricsAccess } from './http/metrics.ts'
import { observe, requireErrors } from './http/observe.ts'
import { parseRequest } from './http/parseRequest.ts'
import { handleError, noSuchPath, stopping, unavailable } from './http/problems.ts'
import { createRateLimits } from './http/rateLimit.ts'
import { limitSize } from './http/readBody.ts'
import type { SessionLimits } from './http/sessionLimits.ts'
import { createTransferAdmission } from './http/transferAdmission.ts'
import type { ReadBuiltFile } from './packageFiles.ts'
import { deskAppFiles } from './routes/deskApp.ts'
import { documentRoutes } from './routes/documents.ts'
import { type Handlers, isResponse, type OtherRoutes } from './routes/handler.ts'
import { operationRoutes } from './routes/operations.ts'
import { scriptRoutes } from './routes/script.ts'
import { monotonicMs, msUntil, runInContext, unknownOwner } from './store/callContext.ts'
import type { Store } from './store/store.ts'

export interface AppParts {
  requestStore: Store
  /** The store for the platform's own work, which the readiness check asks. */
  backgroundStore: Store
  clock: Clock
  sessions: Sessions
  members: Pick<Members, 'require'>
  access: DeskAccess
  logger: Logger
  metrics: Metrics
  metricsAccess: MetricsAccess
  handlers: Handlers
  /** The pages to which emails link, which take GET and POST. */
  emailPages: OtherRoutes
  readBuiltFile: ReadBuiltFile
  version: string
  devBotId: string | undefined
  rateLimit: number
  sessionLimits: SessionLimits
  trustedProxies: string[]
  /** Whether the platform is stopping, and still answers requests. */
  isClosing: () => boolean
  isClosed: () => boolean
}

/** Creates the app with one route for each endpoint, and those of the script and of the operator. */
export function createApp(parts: AppParts): Hono<AppEnv> {
  const { requestStore, clock, sessions, access, logger, metrics, readBuiltFile, version } = parts
  const addresses = createClientAddresses({
    trustedProxies: parts.trustedProxies,
    onUntrusted: () => logger.warn(untrustedProxy),
  })
  const limits = createRateLimits({ perToken: parts.rateLimit, sessionLimits: parts.sessionLimits, clock })
  const cors = createCors({ limits, store: requestStore, devBotId: parts.devBotId })
  const admission = createTransferAdmission()
  const withCookie = (mustName: boolean): Middleware[] => [
    access.admitOwnPages,
    limits.limitMemberFailures(access.session.get, memberAuth({ members: parts.members, access, limits, mustName })),
  ]
  const authentication: Record<Route['auth'], Middleware[]> = {
    organization: [limits.limitFailures('organization', organizationAuth({ store: requestStore, sessions, limits }))],
    widget: [cors.admitPage(true), limits.limitFailures('widget', widgetAuth({ sessions, limits }))],
    none: [cors.admitPage()],
    desk: [access.admitOwnPages],
    signedIn: withCookie(false),
    member: withCookie(true),
    admin: [...withCookie(true), requireAdmin],
  }

  /**
   * What a request of an endpoint passes before its handler, in the order in which the errors take precedence
   * (`integration/precedence.test.ts`).
   */
  function middlewareOf(name: RouteName): Middleware[] {
    const endpoint: Route = routes[name]
    const { path, auth, body, upload, success, idempotent } = endpoint
    const middleware = [beginRoute(path, endpoint), ...authentication[auth]]
    if (name === 'createVisitorSession') middleware.push(limits.countNewSession)
    if (auth === 'none') middleware.push(requireBot)
    middleware.push(assignOwner)
    if (body?.maxBytes) middleware.push(admission.admitLargeBody(body.maxBytes))
    if (success.file) middleware.push(admission.admitDownload)
    // The handler reads a file while it arrives.
    middleware.push(upload ? admission.admitUpload : parseRequest(endpoint, clock))
    if (idempotent) middleware.push(readIdempotencyKey)
    if (name === 'leaveEmail') middleware.push(limits.limitEmails)
    if (name === 'signIn') middleware.push(limits.limitSignIns)
    else if (name === 'signInByOidc') middleware.push(limits.limitOidc)
    else if (auth === 'desk') middleware.push((c, next) => limits.lookUp(c, false, next))
    if (name === 'signIn' || name === 'acceptInvitation') middleware.push(limits.queueHashing)
    return middleware
  }

  // Hono's fastest router. It does not support every pattern; an unsupported one throws at the start.
  const app = new Hono<AppEnv>({ router: new RegExpRouter() })
  app.onError(handleError(logger))
  app.notFound(() => {
    throw noSuchPath()
  })
  app.use(observe({ logger, metrics, elapsed: clock.elapsed }), requireErrors)
  app.use((c, next) => {
    const address = addresses.addressOf(c.env)
    c.set('address', address)
    if (parts.isClosed()) throw stopping()
    const context = {
      // Until the organization is known.
      owner: address ?? unknownOwner,
      // A client without an answer gives up then, and may send something newer. `beginRoute` changes it.
      deadline: monotonicMs() + defaultTimeLimitMs,
    }
    c.set('requestContext', context)
    return runInContext(context, next)
  })
  // A 404 for an unknown path of the widget also has CORS headers, so that a page can read the error.
  app.use(toPath(widgetPaths), nameRoute(widgetPaths), cors.setHeaders)

  const allowedMethods = new Map<string, string[]>()
  for (const name of Object.keys(routes) as RouteName[]) {
    const { path, method, alias, auth }: Route = routes[name]
    const methods = alias ? [method, alias] : [method]
    app.on(methods, [toPath(path)], ...middlewareOf(name), handlerOf(parts.handlers, name, routes[name]))
    allowedMethods.set(path, [...(allowedMethods.get(path) ?? []), ...methods])
    if (auth === 'widget' || auth === 'none')
      app.options(toPath(path), beginRoute(path), cors.admitPage(), cors.preflight)
  }
  const script = scriptRoutes(readBuiltFile)
  const deskApp = deskAppFiles(readBuiltFile)
  const otherRoutes = {
    ...operationRoutes({ ...parts, store: parts.backgroundStore, limits, isLocal: addresses.isLocal }),
    ...documentRoutes(version, readBuiltFile),
    '/natter.js': script.script,
  }
  for (const [path, respond] of Object.entries(otherRoutes)) {
    app.get(toPath(path), beginRoute(path), respond)
    allowedMethods.set(path, ['GET'])
  }
  for (const [path, respond] of Object.entries(parts.emailPages)) {
    const methods = ['GET', 'POST']
    app.on(methods, [toPath(path)], beginRoute(path), (c, next) => limits.lookUp(c, false, next), respond)
    allowedMethods.set(path, methods)
  }
  for (const [path, allowed] of allowedMethods)
    app.all(toPath(path), beginRoute(path), () => {
      throw methodNotAllowed(allowed)
    })
  // The router supports no pattern for chunks beside routes with a fixed first segment, and none for the pages of the desk beside its
  // endpoints.
  app.all('*', async (c, next) => {
    limitSize(c)
    const found = [script.chunks, deskApp].find(files => files.has(c.req.path))
    if (!found) return next()
    c.set('route', found.template)
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw methodNotAllowed(['GET'])
    return found.send(c)
  })
  return app
}

const widgetPaths = '/v1/bots/{botId}/widget/*'

/** Converts a path template to a path of Hono. */
const toPath = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1')

/** Sets the name of the route for the log and the metrics. */
const nameRoute =
  (template: string): Middleware =>
  (c, next) => {
    c.set('route', template)
    return next()
  }

/** The first check of a route: sets its name and the time limit of its requests, and refuses a body that is too large. */
const beginRoute =
  (
    template: string,
    { body, upload, timeLimitMs = defaultTimeLimitMs }: Pick<Route, 'body' | 'upload' | 'timeLimitMs'> = {},
  ): Middleware =>
  (c, next) => {
    c.set('route', template)
    c.set('timeLimitMs', timeLimitMs)
    c.get('requestContext').deadline += timeLimitMs - defaultTimeLimitMs
    limitSize(c, upload?.maxBytes ?? body?.maxBytes)
    return next()
  }

/** From here on the organization owns the request's store calls, no longer the client's address. */
const assignOwner: Middleware = (c, next) => {
  const owner = c.get('bot')?.organizationId ?? c.get('member')?.organizationId
  if (owner !== undefined) c.get('requestContext').owner = owner
  return next()
}

function methodNotAllowed(methods: string[]) {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return problem('method_not_allowed', { detail: `Allowed here: ${allow}.`, headers: { allow } })
}

const untrustedProxy =
  'A request has a forwarded client address, but its sender is not a trusted proxy: rate limits use the address of the sender. ' +
  "If this server is behind a proxy, add the proxy's address to NATTER_TRUSTED_PROXIES; otherwise all clients behind the proxy share one limit."

/** Converts an endpoint's handler to one of Hono. The success response is made from the result of the handler. */
function handlerOf(handlers: Handlers, name: RouteName, { success, auth }: Route) {
  // The middleware has set the variables of the handler's context, parsed by the schemas of the endpoint.
  const handle = handlers[name] as unknown as (c: AppContext) => Promise<object | undefined>
  return async (c: AppContext): Promise<Response> => {
    // If this process was stopped meanwhile, the client has given up, and may have sent a newer request to another node.
    if (msUntil(c.get('requestContext').deadline) < 0)
      throw unavailable('The deadline of the request passed before it was handled.')
    // If the request had not been read when the process was stopped, its deadline is new, but the connection is closed. Only
    // an organization is refused then: what a leaving visitor sends last, such as a logout, is carried out.
    if (auth === 'organization' && c.env.incoming?.socket.destroyed)
      throw unavailable('The client has closed the connection.')
    const result = await handle(c)
    if (result === undefined) return c.body(null, success.status)
    return isResponse(result) ? result : c.json(result, success.status as ContentfulStatusCode)
  }
}
