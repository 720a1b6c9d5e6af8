/** What an address of a bus says, `nats://user:password@host:port`. */
export interface NatsAddress {
  /** Those of one cluster, of which any will do. */
  servers: string[]
  access: { user: string; pass: string } | { token: string } | Record<string, never>
  /** Without it TLS is spoken where the server asks for it. */
  needsTls: boolean
  /** Where it is, for people: without user and password. */
  name: string
}

/** Throws where it makes no sense, and never shows a password. */
export function readNatsAddress(text: string): NatsAddress {
  const [first, ...others] = text.split(',').map(part => part.trim())
  const scheme = /^(?:nats|tls):\/\//.exec(first ?? '')?.[0]
  const urls = [first ?? '', ...others.map(other => (other.includes('://') ? other : `${scheme}${other}`))].map(
    part => {
      const url = URL.parse(part)
      const isServer =
        url?.hostname && /^\/?$/.test(url.pathname + url.search + url.hash) && `${url.protocol}//` === scheme
      if (!isServer)
        throw new Error('Must be like nats://user:password@host:4222, more servers with commas between them.')
      return url
    },
  )
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`)
  const [user = '', pass] = [urls[0]?.username, urls[0]?.password].map(part => decodeURIComponent(part ?? ''))
  return {
    servers,
    access: pass ? { user, pass } : user ? { token: user } : {},
    needsTls: scheme === 'tls://',
    name: servers.join(','),
  }
}
