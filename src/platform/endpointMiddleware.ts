import { type Endpoint, type EndpointName, endpoints } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import type { Sessions } from './domain/sessions.ts'
import type { Middleware } from './http/appEnv.ts'
import { organizationAuth, requireBot, widgetAuth } from './http/auth.ts'
import { createBodyAdmission } from './http/bodyAdmission.ts'
import type { Cors } from './http/cors.ts'
import { readIdempotencyKey } from './http/idempotency.ts'
import { parseRequest } from './http/parseRequest.ts'
import type { RateLimits } from './http/rateLimit.ts'
import { assignOwner } from './http/requestDeadline.ts'
import { beginRoute } from './http/route.ts'
import type { OrganizationStore } from './store/store.ts'

interface EndpointMiddlewareOptions {
  store: OrganizationStore
  sessions: Sessions
  clock: Clock
  limits: RateLimits
  cors: Cors
}

/**
 * Returns the middleware that a request of an endpoint passes before its handler: it checks the request, counts it for the
 * limits and reads its body. It runs in the order in which its errors take precedence: 413, 429 of failed authentications
 * and misused tokens, browser 403, 401, scope 403, 429, bot 404, 503 without room for the body or the file, 415, 400. Two Authorization headers
 * get 400 in place of 401. The earlier messages of a request are counted when its body is parsed, so their 429 follows the
 * 400.
 */
export function createEndpointMiddleware({ store, sessions, clock, limits, cors }: EndpointMiddlewareOptions) {
  const admission = createBodyAdmission()
  const authentication: Record<Endpoint['auth'], Middleware[]> = {
    organization: [limits.limitFailures('organization', organizationAuth({ store, sessions, limits }))],
    widget: [cors.refuse, limits.limitFailures('widget', widgetAuth({ sessions, limits }))],
    none: [cors.refuse],
  }

  return (name: EndpointName): Middleware[] => {
    const endpoint: Endpoint = endpoints[name]
    const { path, auth, body, upload, success, idempotent } = endpoint
    const middleware = [beginRoute(path, endpoint), ...authentication[auth]]
    if (name === 'createVisitorSession') middleware.push(limits.countNewSession)
    if (auth === 'none') middleware.push(requireBot)
    middleware.push(assignOwner)
    if (body?.maxBytes) middleware.push(admission.admitLargeBody(body.maxBytes))
    if (success.file) middleware.push(admission.admitDownload)
    // The handler reads a file while it arrives.
    middleware.push(upload ? admission.admitUpload : parseRequest(endpoint, clock))
    if (name === 'sendMessage') middleware.push(limits.countEarlierMessages)
    if (idempotent) middleware.push(readIdempotencyKey)
    return middleware
  }
}
