import { isContactToken, isToken } from './storedIdentity.ts'

/** The request body: which contact the widget has, and whether the platform still accepts their token. */
export interface TokenUrlQuestion {
  /** The contact's id; `null` if there is no contact or it isn't known. */
  contact: string | null
  token: 'valid' | 'expired' | 'none'
}

/** The site's answer. */
export type TokenUrlAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'samePerson' }
  | { readonly kind: 'signedOut' }
  /** The site or the network does not respond, so it is worth another try. */
  | { readonly kind: 'unreachable' }
  /** The answer breaks the rules of `tokenUrl`. `what` tells the site's owner how, and never contains a token. */
  | { readonly kind: 'invalid'; readonly what: string }

/** Asks the site, with its cookies, who is signed in. Never rejects; `signal` aborts the request. */
export async function askTokenUrl(
  fetch: typeof globalThis.fetch,
  url: string,
  question: TokenUrlQuestion,
  signal: AbortSignal,
): Promise<TokenUrlAnswer> {
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: 'POST',
      // A page of another origin can't send this type without a preflight request.
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      credentials: 'include',
      cache: 'no-store',
      // Sites redirect visitors who are signed out to a login page, which must not be read as the answer.
      redirect: 'manual',
      signal,
    })
    text = await response.text()
  } catch {
    return { kind: 'unreachable' }
  }
  const { status, type } = response
  if (type === 'opaqueredirect') return { kind: 'invalid', what: 'redirected to another address' }
  if (status === 204 && question.token === 'valid') return { kind: 'samePerson' }
  if (status === 401) return { kind: 'signedOut' }
  // Visitors only see that the chat reconnects, so tell the developer.
  if (status >= 500) console.warn(`Natter: tokenUrl ${url} answered ${status}. See your server's log.`)
  if (status >= 500 || status === 408 || status === 429) return { kind: 'unreachable' }
  if (status !== 200) return { kind: 'invalid', what: `answered ${status}` }
  const token = readToken(text)
  return token ? { kind: 'token', token } : { kind: 'invalid', what: 'answered 200 without a contact token' }
}

/** Reads the token from `{ "data": { "token": "c:…" } }`. */
function readToken(text: string): string | undefined {
  try {
    const { data } = JSON.parse(text)
    return isToken(data.token) && isContactToken(data.token) ? data.token : undefined
  } catch {
    return undefined
  }
}
