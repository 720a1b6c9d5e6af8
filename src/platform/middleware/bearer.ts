import { organizationTokenPattern } from '../../contract/index.ts'
import { problem } from '../domain/problem.ts'
import { invalidToken } from '../domain/sessions.ts'

/**
 * The token of an Authorization header: `Bearer <token>`, the scheme in any case, or the bare token (Spec 5.1.1 shows
 * both). Throws where there is none, or more than one.
 */
export function bearerOf(headers: Headers): string {
  const value = headers.get('authorization')?.trim() ?? ''
  if (value === '') throw problem('unauthorized', { headers: { 'www-authenticate': 'Bearer realm="natter"' } })
  // Two headers arrive joined by a comma, which no token and no Bearer value holds.
  const credentials = value.split(',').filter(part => /^\s*(?:bearer +)?[\w.:~+/-]+=*\s*$/i.test(part))
  if (credentials.length > 1) throw problem('invalid_request', { detail: 'Send one Authorization header.' })
  const [, token] = /^(?:bearer +)?(\S+)$/i.exec(value) ?? []
  if (token === undefined) throw invalidToken('unauthorized')
  return token
}

/** Tells the two kinds of bearer apart by their form. */
export const isOrganizationToken = (token: string): boolean => organizationTokenPattern.test(token)
