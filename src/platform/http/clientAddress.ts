import { BlockList, isIP } from 'node:net'
import type { Connection, IncomingRequest } from './connection.ts'

export interface ClientAddressOptions {
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose forwarded addresses are trusted. */
  trustedProxies: string[]
  /** Called when an untrusted sender forwards an address for the first time. */
  onUntrusted: () => void
}

/** Determines which client a request comes from. Throws if a trusted proxy is not an address or a network. */
export function createClientAddresses({ trustedProxies, onUntrusted }: ClientAddressOptions) {
  const proxies = parseNetworks(trustedProxies)
  let hasWarned = false

  return {
    /**
     * The client's address for rate limits: an IPv4 address, or the /64 network of an IPv6 address, which belongs to one
     * household or machine. `undefined` without a connection. Forwarded addresses are used only from trusted proxies.
     */
    addressOf({ incoming }: Connection): string | undefined {
      const peer = incoming?.socket.remoteAddress
      if (!incoming || peer === undefined) return undefined
      if (!isForwarded(incoming)) return networkOf(peer)
      if (!contains(proxies, peer)) {
        if (!hasWarned) onUntrusted()
        hasWarned = true
        return networkOf(peer)
      }
      const { forwarded, 'x-forwarded-for': list } = incoming.headers
      // Go from the nearest hop outwards: the first one that is not trusted is the client.
      const seenBy = (hops: (string | undefined)[]): string => {
        let client = peer
        for (const hop of hops.reverse()) {
          if (hop === undefined || isIP(hop) === 0) return client
          client = hop
          if (!contains(proxies, client)) return client
        }
        return client
      }
      const first = list === undefined ? undefined : seenBy(String(list).split(',').map(withoutPort))
      const second = forwarded === undefined ? undefined : seenBy(String(forwarded).split(',').map(forOf))
      // If the headers differ, the proxy wrote only one of them, and the client sent the other.
      if (first !== undefined && second !== undefined && first !== second) return networkOf(peer)
      return networkOf(first ?? second ?? peer)
    },
    /** Whether this machine or a trusted proxy has sent the request for itself, and does not forward it for somebody else. */
    isLocal({ incoming }: Connection): boolean {
      const peer = incoming?.socket.remoteAddress
      if (!incoming || peer === undefined) return false
      if (isProxied(incoming)) return false
      return contains(proxies, peer) || (contains(loopback, peer) && !mayBeRebound(incoming))
    },
  }
}

const isForwarded = ({ headers }: IncomingRequest): boolean =>
  headers['forwarded'] !== undefined || headers['x-forwarded-for'] !== undefined

/** Headers that proxies add to requests that they forward. */
const proxyHeaders = ['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']
const isProxied = ({ headers }: IncomingRequest): boolean =>
  Object.keys(headers).some(name => proxyHeaders.includes(name) || name.startsWith('x-forwarded'))

/** Whether a page in a browser on this machine may have sent the request, to a name that it made lead here. */
const mayBeRebound = ({ headers: { host = 'localhost', origin } }: IncomingRequest): boolean =>
  origin !== undefined || !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(String(host))

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Parses addresses and networks; throws an error that says what to write instead. */
export function parseNetworks(texts: string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits, ...more] = text.split('/')
    const version = isIP(address)
    const most = version === 6 ? 128 : 32
    const length = bits === undefined ? most : Number(bits)
    if (version === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits ?? '0') || length > most)
      throw new Error(`A trusted proxy is an address or a network such as 10.0.0.0/8, not "${text}".`)
    list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

const loopback = parseNetworks(['127.0.0.0/8', '::1'])

const withoutPort = (text: string): string =>
  text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')

/** The `for` of one element of a Forwarded header (RFC 7239). */
function forOf(element: string): string | undefined {
  const [, value] = /(?:^|;)\s*for="?([^;"\s]*)/i.exec(element) ?? []
  return value === undefined ? undefined : withoutPort(value)
}

function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = (address.split('%')[0] ?? '').replace(/[\d.]+\.\d+$/, '0:0').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
