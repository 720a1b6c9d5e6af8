import { parseOrigin } from '../contract/origin.ts'

/** Decides which pages may send requests to a handler: those of its own origin and of the listed origins. */
export interface OriginPolicy {
  allows(request: Request): boolean
  /** The CORS headers with which a page of a listed origin may read the response. */
  headers(request: Request): Record<string, string>
  /** Whether the request is a preflight of a page of a listed origin. */
  isPreflight(request: Request): boolean
}

/** The form of a list of requested headers. A longer one is ignored. */
const requestedHeaders = /^[\w!#$%&'+.^`|~, -]{1,1024}$/

/** Throws if one of `allowedOrigins` is not an origin, such as `*`. */
export function createOriginPolicy(allowedOrigins: readonly string[]): OriginPolicy {
  const listed = new Set(allowedOrigins.map(checkOrigin))
  const isListed = ({ headers }: Request): boolean => listed.has(headers.get('origin') ?? '')
  const isPreflight = (request: Request): boolean =>
    request.method === 'OPTIONS' && isListed(request) && request.headers.has('access-control-request-method')
  return {
    allows: request => isListed(request) || isSameOrigin(request),
    headers(request) {
      if (!isListed(request)) return {}
      const read = {
        'access-control-allow-origin': request.headers.get('origin') ?? '',
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'retry-after',
      }
      if (!isPreflight(request)) return read
      // Some pages wrap `fetch` and add headers: refusing one would fail the whole request.
      const requested = request.headers.get('access-control-request-headers') ?? ''
      return {
        ...read,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': requestedHeaders.test(requested) ? requested : 'content-type',
        'access-control-max-age': '7200',
      }
    },
    isPreflight,
  }
}

/** Browsers send one of these headers with every POST, and pages cannot forge them. */
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  // Compare only hosts: behind a TLS proxy the request's scheme is http.
  return new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}

function checkOrigin(text: unknown): string {
  const parsed = typeof text === 'string' && !text.includes('*') ? parseOrigin(text) : null
  if (parsed && 'origin' in parsed) return parsed.origin
  throw new TypeError(
    `tokenHandler: allowedOrigins takes origins such as https://www.shop.example, without a path or *; got ${JSON.stringify(text)}`,
  )
}
