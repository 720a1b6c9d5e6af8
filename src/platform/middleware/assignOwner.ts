import type { Middleware } from './appEnv.ts'

/** From here on the organization owns the request's store calls, no longer the client's address. */
export const assignOwner: Middleware = (c, next) => {
  const owner = c.get('scope')?.organizationId ?? c.get('bot')?.organizationId
  if (owner !== undefined) c.get('requestContext').setOwner(owner)
  return next()
}
