import type { Session } from '../../contract/index.ts'
import { type WidgetError, widgetError } from '../errors.ts'
import type { WidgetErrorCode } from '../events.ts'
import type { TokenStore } from '../storage/token.ts'
import type { Patience } from '../transport/patience.ts'
import type { Wire } from '../transport/wire.ts'

/** How long a login may take. */
export const loginMs = 10_000

const messages: Partial<Record<WidgetErrorCode, string>> = {
  token_malformed: 'login() takes { token }, a contact token of the form c:<64 hex digits>',
  token_invalid: 'The platform refuses the contact token',
  network: 'The platform did not answer the login within 10 s',
  bot_unavailable: 'The platform does not know the bot',
  superseded: 'A later login or logout has overtaken this login',
}

export const loginError = (code: WidgetErrorCode): WidgetError => widgetError(code, messages[code] ?? code)

/** Asks whose token that is, again and again until there is an answer; the caller sets the limit with `over`. */
export async function identify(
  { wire, patience, tokens }: { wire: Wire; patience: Patience; tokens: TokenStore },
  token: string,
  over: AbortSignal,
): Promise<Session | WidgetErrorCode> {
  if (!tokens.isContactToken(token)) return 'token_malformed'
  for (let tries = 0; ; tries++) {
    const answer = await wire.retrieveSession(token, over)
    if (over.aborted) return 'superseded'
    if (answer.ok) return answer.data.contact ? answer.data : 'token_invalid'
    if (!answer.transient) return answer.status === 404 ? 'bot_unavailable' : 'token_invalid'
    await patience.wait(tries, over, answer.retryAfterMs)
  }
}
