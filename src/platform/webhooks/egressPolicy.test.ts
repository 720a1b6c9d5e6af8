import { describe, expect, it } from 'vitest'
import { isAllowedAddress } from './egressPolicy.ts'

const addresses = {
  never: [
    ...['169.254.169.254', '169.254.0.1', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ...['fe80::1', 'fe80::1%eth0', 'febf::1', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42'],
    // The same IPv4 addresses inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::169.254.169.254', '::ffff:0:169.254.169.254'],
    ...['64:ff9b:1::a9fe:a9fe', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:ffff::10.0.0.1'],
    ...['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '2001:0:a9fe:a9fe::1', '::ffff:100.100.100.200'],
    // Not addresses.
    ...['', 'localhost', '169.254.169', '[::1]', '2852039166'],
  ],
  private: [
    ...['127.0.0.1', '127.1.2.3', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '240.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ...['::', '::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1', '3fff::1', 'fec0::1', '100::1'],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::7f00:1'],
  ],
  public: [
    ...['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.255.255', '100.128.0.1', '169.253.1.1', '223.255.255.254'],
    ...['2606:4700::1111', '2001:4860:4860::8888', '64:ff9b::808:808'],
  ],
}

describe('isAllowedAddress', () => {
  it('refuses link-local and metadata addresses in every notation, whatever the policy', () => {
    const allowed = addresses.never.filter(
      address => isAllowedAddress(address, 'any') || isAllowedAddress(address, 'public'),
    )
    expect(allowed).toEqual([])
  })

  it('lets an operator name a service in a private network unless the policy is public', () => {
    expect(addresses.private.filter(address => !isAllowedAddress(address, 'any'))).toEqual([])
    expect(addresses.private.filter(address => isAllowedAddress(address, 'public'))).toEqual([])
  })

  it('allows public addresses', () => {
    expect(addresses.public.filter(address => !isAllowedAddress(address, 'any'))).toEqual([])
    expect(addresses.public.filter(address => !isAllowedAddress(address, 'public'))).toEqual([])
  })
})
