import { problem } from '../domain/problem.ts'
import { invalidToken } from '../domain/sessions.ts'

/**
 * Reads the token of an Authorization header: `Bearer <token>`, with the scheme in any case, or the bare token, which
 * some clients send. Throws `unauthorized` if there is no token, `invalid_request` if there are several.
 */
export function bearerOf(headers: Headers): string {
  const value = headers.get('authorization')?.trim() ?? ''
  if (value === '') throw problem('unauthorized', { headers: { 'www-authenticate': 'Bearer realm="natter"' } })
  // Two headers arrive joined by a comma, which no token contains. A Digest header lists name=value pairs after its
  // commas.
  if (/,\s*(?:$|(?:bearer|basic|digest)\s|[\w.:~+/-]+=*\s*(?:,|$))/i.test(value))
    throw problem('invalid_request', { detail: 'Send one Authorization header.' })
  const [, token] = /^(?:bearer +)?(\S+)$/i.exec(value) ?? []
  if (token === undefined) throw invalidToken('unauthorized')
  return token
}

/**
 * The token of a header that has not been checked yet, `''` without one. Not by `/\S+$/`, which takes quadratic time for a
 * long word before the last one: 16 KB of headers would stop the server for half a second.
 */
export const lastWordOf = (headers: Headers): string => headers.get('authorization')?.trim().split(/\s+/).at(-1) ?? ''
