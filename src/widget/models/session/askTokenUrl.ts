import { isContactToken } from '../../storage/storedIdentity.ts'
import { isToken } from '../../storage/token.ts'

/** Whom the widget shows, and whether the platform still takes their token. */
export interface TokenUrlQuestion {
  /** The contact's id; `null` for nobody, and where it isn't known. */
  contact: string | null
  token: 'valid' | 'expired' | 'none'
}

/** What the site has said at `tokenUrl`. */
export type TokenUrlAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'samePerson' }
  | { readonly kind: 'signedOut' }
  /** The network or the site is in trouble: worth another try. */
  | { readonly kind: 'unreachable' }
  /** No answer that `tokenUrl` may give. `what` is for the site's owner, and holds no token. */
  | { readonly kind: 'invalid'; readonly what: string }

/** Asks the site, with its cookies, who is signed in. Never rejects; ends with `signal`. */
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
      // No page of another origin can send this type without asking first.
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      credentials: 'include',
      cache: 'no-store',
      // Sites send who is signed out to a page: following it would take that page for the answer.
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
  if (status >= 500 || status === 408 || status === 429) return { kind: 'unreachable' }
  if (status !== 200) return { kind: 'invalid', what: `answered ${status}` }
  const token = readToken(text)
  return token ? { kind: 'token', token } : { kind: 'invalid', what: 'answered 200 without a contact token' }
}

/** The token of `{ "data": { "token": "c:…" } }`. */
function readToken(text: string): string | undefined {
  try {
    const { data } = JSON.parse(text)
    return isToken(data.token) && isContactToken(data.token) ? data.token : undefined
  } catch {
    return undefined
  }
}
