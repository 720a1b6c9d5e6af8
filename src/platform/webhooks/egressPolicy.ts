import { BlockList, isIP } from 'node:net'

/**
 * Where the platform may send requests: `any` includes this machine and private networks, `public` only addresses of the
 * public internet. Link-local addresses and cloud metadata services are refused by both.
 */
export type EgressPolicy = 'any' | 'public'

type Subnet = [address: string, prefix: number]

/** The metadata services of clouds, which give credentials to whatever asks from inside, and link-local addresses. */
const metadataV4: Subnet[] = [
  // Link-local, with the metadata service of most clouds.
  ['169.254.0.0', 16],
  // Alibaba Cloud, Oracle Cloud, Azure.
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
]
const metadataV6: Subnet[] = [
  ['fe80::', 10],
  // AWS, Google Cloud, Scaleway, Akamai.
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  ['fd00:42::42', 128],
  ['fd00:a9fe:a9fe::1', 128],
  // Tunnels, long out of use: their addresses may contain any IPv4 address.
  ['2001::', 32],
  ['2002::', 16],
  // NAT64 of local networks (RFC 8215), which embeds IPv4 addresses at different places.
  ['64:ff9b:1::', 48],
]

/** Not globally reachable, by the registry of special-purpose addresses of IANA. */
const specialV4: Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
]
/** Only these hold public IPv6 addresses: global unicast, and NAT64, through which an IPv6 network reaches IPv4. */
const publicV6: Subnet[] = [
  ['2000::', 3],
  ['64:ff9b::', 96],
]
/** Parts of global unicast that are not globally reachable. */
const specialV6: Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
]

/** IPv6 networks whose last 32 bits are an IPv4 address. A BlockList itself treats `::ffff:` as IPv4. */
const embeddingV4 = ['::', '::ffff:0:', '64:ff9b::']

const never = createBlockList(metadataV4, metadataV6)
const special = createBlockList(specialV4, specialV6)
const globalV6 = createBlockList([], publicV6)

/** Whether the platform may connect to an IP address. */
export function isAllowedAddress(address: string, policy: EgressPolicy): boolean {
  const family = familyOf(address)
  // BlockList knows no zones (`fe80::1%eth0`).
  const bare = address.replace(/%.*$/, '')
  if (family === undefined || never.check(bare, family)) return false
  if (policy === 'any') return true
  return !special.check(bare, family) && (family === 'ipv4' || globalV6.check(bare, family))
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  return version === 0 ? undefined : `ipv${version as 4 | 6}`
}

function createBlockList(v4: Subnet[], v6: Subnet[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of v4) {
    list.addSubnet(address, prefix, 'ipv4')
    for (const network of embeddingV4) list.addSubnet(`${network}${address}`, 96 + prefix, 'ipv6')
  }
  for (const [address, prefix] of v6) list.addSubnet(address, prefix, 'ipv6')
  return list
}

/** A request to an address that the policy refuses. The message goes to the log, so it does not contain the address. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'

  constructor(policy: EgressPolicy) {
    super(
      policy === 'public'
        ? 'The address is not public, and this platform calls only public ones (--egress public)'
        : 'The address is link-local or a cloud metadata service, which the platform never calls',
    )
  }
}
