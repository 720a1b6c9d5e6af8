/** A policy: its directives by their names, each with its sources. */
export type Policy = Map<string, string[]>

/** Parses the value of a `Content-Security-Policy` header, which may hold several policies. */
export function parsePolicies(header: string): Policy[] {
  return header
    .split(',')
    .map(parsePolicy)
    .filter(policy => policy.size > 0)
}

function parsePolicy(text: string): Policy {
  const policy: Policy = new Map()
  for (const directive of text.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/\s+/)
    // The first directive of a name counts.
    if (name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources)
  }
  return policy
}

/** What a page must be allowed to do for the chat. */
export interface CspNeed {
  directive: 'script-src' | 'connect-src'
  url: string
  /** The nonce of the script's tag. */
  nonce?: string | undefined
}

/** The directive that forbids it, and what to do; `null` if the policy allows it. */
export function findObstacle(
  policy: Policy,
  { directive: needed, url, nonce }: CspNeed,
  pageUrl: string,
): { directive: string; fix: string } | null {
  const candidates = [...(needed === 'script-src' ? ['script-src-elem'] : []), needed, 'default-src']
  const directive = candidates.find(name => policy.has(name))
  if (directive === undefined) return null
  const sources = policy.get(directive) ?? []
  if (nonce && sources.includes(`'nonce-${nonce}'`)) return null
  // With 'strict-dynamic', browsers ignore hosts: only a nonce or a hash admits the tag.
  if (needed === 'script-src' && sources.includes("'strict-dynamic'"))
    return { directive, fix: `Put the nonce of each response on the script's tag, as nonce="…".` }
  if (sources.some(source => matchesSource(source, url, pageUrl))) return null
  const { origin } = new URL(url)
  const source = origin === new URL(pageUrl).origin ? "'self'" : origin
  if (directive !== 'default-src') return { directive, fix: `Add to ${directive}: ${source}` }
  // A directive of its own replaces the default, so it has to repeat those sources.
  const all = [...sources.filter(each => each !== "'none'"), source].join(' ')
  return { directive, fix: `Add the directive: ${needed} ${all}` }
}

function matchesSource(source: string, url: string, pageUrl: string): boolean {
  if (source === '*') return true
  if (source === "'self'") return new URL(url).origin === new URL(pageUrl).origin
  if (source.startsWith("'")) return false
  const target = new URL(url)
  if (/^[a-z][a-z\d+.-]*:$/i.test(source)) return target.protocol === source.toLowerCase()
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(?:([a-z][a-z\d+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? []
  const protocols = scheme === '' ? [new URL(pageUrl).protocol, 'https:'] : [`${scheme.toLowerCase()}:`]
  // A source with http also admits https.
  if (protocols.includes('http:')) protocols.push('https:')
  if (!protocols.includes(target.protocol)) return false
  const name = host.toLowerCase()
  if (name.startsWith('*.') ? !target.hostname.endsWith(name.slice(1)) : target.hostname !== name) return false
  if (port !== '*' && port !== target.port) return false
  if (path === '' || path === '/') return true
  return path.endsWith('/') ? target.pathname.startsWith(path) : target.pathname === path
}
