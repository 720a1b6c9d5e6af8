import type { Endpoint } from '../../contract/index.ts'
import type { Middleware } from './appEnv.ts'
import { limitSize } from './readBody.ts'

/** Sets the name of the route for the log and the metrics. */
export const nameRoute =
  (template: string): Middleware =>
  (c, next) => {
    c.set('route', template)
    return next()
  }

/** The first check of a route: sets its name and the time limit of its requests, and refuses a body that is too large. */
export const beginRoute =
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
