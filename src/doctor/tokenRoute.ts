import { type CheckResult, type DoctorTarget, failed, note, ok, originOf, request } from './check.ts'

/** Tries the site's token route like a page of the site, and like a page of another site. Sends no cookies. */
export async function* checkTokenRoute(target: DoctorTarget, url: string): AsyncGenerator<CheckResult> {
  const { site } = target
  const post = (origin: string, fetchSite: string) =>
    request(target, url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': fetchSite },
      body: '{"contact":null,"token":"none"}',
    })
  const own = originOf(site)
  const signedOut = await post(own, originOf(url) === own ? 'same-origin' : 'cross-site')
  await signedOut.body?.cancel()
  const isPage = signedOut.ok && /^text\/html\b/i.test(signedOut.headers.get('content-type') ?? '')
  yield isPage
    ? failed(
        'token-route',
        `POST ${url} answers a page (text/html), not a token`,
        `Mount POST ${new URL(url).pathname} before your app's fallback.`,
      )
    : checkSignedOut(signedOut, url)
  // Without a route, the other checks would fail for the same reason.
  if (isPage || signedOut.status === 404 || signedOut.status === 405) return
  yield checkCaching(signedOut, url)

  const get = await request(target, url, { headers: { origin: own } })
  await get.body?.cancel()
  yield get.status === 405 || get.status === 404
    ? ok('token-route get', 'refuses GET')
    : failed('token-route get', `GET ${url} answers ${get.status}, not 404 or 405`, 'Mount it for POST only.')

  const foreign = await post('https://natter-doctor.example', 'cross-site')
  await foreign.body?.cancel()
  const isReadable = foreign.headers.get('access-control-allow-origin')
  yield foreign.status === 403 && !isReadable
    ? ok('token-route origin', 'refuses pages of other sites')
    : failed(
        'token-route origin',
        `${url} answers ${foreign.status} to a page of another site, not 403`,
        'Use tokenHandler of natter/sdk, pass it the Origin header unchanged, and add no CORS headers of your own.',
      )
}

/** For a page that names no token route. It may call `login()` itself, so that need not be a mistake. */
export const noTokenRoute = (hasTag: boolean): CheckResult =>
  hasTag
    ? note(
        'token-route',
        'the tag has no data-token-url, so nobody is identified',
        'Add data-token-url="/chat-token", unless the page calls login() itself.',
      )
    : note('token-route', 'the page has no tag that names it, so it was not tried', 'Name it with --token-url.')

function checkSignedOut({ status, headers }: Response, url: string): CheckResult {
  if (status === 401) return ok('token-route', 'answers 401 to a visitor who is not signed in')
  const advice: Record<number, string> = {
    200: 'Return null from `identify` if nobody is signed in: this visitor has no session.',
    204: 'Return null from `identify` if nobody is signed in: this visitor has no session.',
    400: 'A body parser reads the body first: mount the route before it, such as before express.json().',
    403: 'It refuses its own site. Behind a proxy, pass on the headers Host and X-Forwarded-Proto, or list the site in `allowedOrigins`.',
    404: 'Mount the token route there, for POST.',
    405: 'Mount the token route for POST.',
    500: 'See the log of the site: `identify` has thrown.',
    502: 'See the log of the site: the platform refuses its organization token or its bot.',
    503: "The site's server can not reach the platform: check NATTER_BASE_URL there.",
  }
  const redirect = headers.get('location')
    ? 'Exempt it from the redirect to your sign-in page: it must answer 401.'
    : ''
  const fix = redirect || (advice[status] ?? 'It must answer 401 if nobody is signed in.')
  return failed('token-route', `POST ${url} answers ${status} to a visitor who is not signed in, not 401`, fix)
}

function checkCaching({ headers }: Response, url: string): CheckResult {
  const caching = headers.get('cache-control') ?? ''
  if (/\bno-store\b/i.test(caching)) return ok('token-route cache', 'answers with no-store')
  return failed(
    'token-route cache',
    `${url} answers with Cache-Control: ${caching || '(none)'}`,
    'Send Cache-Control: no-store. A cache would give the token of one visitor to another.',
  )
}
