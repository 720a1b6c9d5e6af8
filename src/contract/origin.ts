import * as v from 'valibot'
import { fieldMessage } from './validation.ts'

/** Schemes whose pages have no origin of their own, and those of no page. */
const pageless = ['about:', 'blob:', 'data:', 'file:', 'ftp:', 'javascript:', 'ws:', 'wss:']

/**
 * Returns an origin as browsers send it, from one as people write it: with capitals, a slash at the end, the scheme's own port
 * or an international domain. Apps may have a scheme of their own, such as `capacitor://localhost`. `reason` says why a
 * text is none.
 */
export function parseOrigin(text: string): { origin: string } | { reason: string } {
  const example = 'such as https://shop.example'
  if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) return { reason: `Must be scheme, host and port, ${example}.` }
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.host === '' || pageless.includes(url.protocol) || /^\.|\.\./.test(url.hostname))
    return { reason: `Must be scheme, host and port of pages, ${example}.` }
  if (url.pathname.length > 1 || url.search || url.hash || url.username || url.password)
    return { reason: `Must be scheme, host and port without a path, ${example}.` }
  return { origin: `${url.protocol}//${url.host.toLowerCase()}` }
}

/**
 * Returns an origin, or a pattern of origins: `https://*.shop.example` stands for all subdomains, `:*` for any port, `*` for every
 * page. What no page can have would silently match nothing.
 */
function parseOriginPattern(text: string): { origin: string } | { reason: string } {
  if (text === '*' || text === 'null') return { origin: text }
  const [, base = text, anyPort = ''] = /^(.*?)(:\*)?\/?$/.exec(text) ?? []
  const isWildcard = base.includes('://*.')
  const parsed = parseOrigin(base.replace('://*.', '://any.'))
  if ('reason' in parsed) return parsed
  const { origin } = parsed
  if (origin.includes('*') || (isWildcard && !/:\/\/any\.[^.:]+\.[^.]/.test(origin)))
    return { reason: 'Must have its * before a domain, as in https://*.shop.example, which takes all subdomains.' }
  return { origin: `${isWildcard ? origin.replace('://any.', '://*.') : origin}${anyPort}` }
}

/** An origin or a pattern of origins, as the settings of a bot store it. */
export const originPatternSchema = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const parsed = parseOriginPattern(dataset.value)
    if ('origin' in parsed) return parsed.origin
    addIssue({ message: fieldMessage('invalid_format', parsed.reason) })
    return NEVER
  }),
)
