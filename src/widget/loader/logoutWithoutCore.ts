import { isContactToken } from '../identity/storedIdentity.ts'
import type { Emitter } from './events.ts'
import type { ParsedOptions } from './parseOptions.ts'
import type { VisitorContext } from './setContext.ts'
import { forgetSession } from './storedToken.ts'

/**
 * Ends the stored session before the core has loaded. If a contact's token was stored, the page has seen the state
 * `identifying` until now. Returns the token, which only the core can revoke, or `''`. If a token is expected, another one
 * is kept, because another tab has logged in meanwhile.
 */
export function logoutWithoutCore(
  { options, context, emit }: { options: ParsedOptions; context: VisitorContext; emit: Emitter['emit'] },
  expectedToken?: string,
): string {
  const token = forgetSession(options, expectedToken)
  if (token === undefined) return ''
  Object.assign(context, { attributes: {}, contactId: null })
  if (isContactToken(token)) emit('auth', { state: 'anonymous', contact: null, reason: 'logout' })
  return token
}
