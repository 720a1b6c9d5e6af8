/** A parsed address of a bus, `nats://user:password@host:port`. */
export interface NatsAddress {
  /** The servers of one cluster. The bus connects to any of them. */
  servers: string[]
  access: { user: string; pass: string } | { token: string } | Record<string, never>
  /** If `false`, TLS is used if the server requires it. */
  needsTls: boolean
  /** For logs: without user and password. */
  name: string
}

/** Throws if the address is invalid. The error never contains a password. */
export function readNatsAddress(text: string): NatsAddress {
  const [first, ...others] = text.split(',').map(part => part.trim())
  const scheme = /^(?:nats|tls):\/\//.exec(first ?? '')?.[0]
  const urls = [first ?? '', ...others.map(other => (other.includes('://') ? other : `${scheme}${other}`))].map(
    part => {
      const url = URL.parse(part)
      const isServer =
        url?.hostname && /^\/?$/.test(url.pathname + url.search + url.hash) && `${url.protocol}//` === scheme
      if (!isServer)
        throw new Error(
          'Must be an address such as nats://user:password@host:4222, or several servers separated by commas.',
        )
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
