import { describe, expect, it, vi } from 'vitest'
import { createClientAddresses, parseNetworks } from './clientAddress.ts'
import type { Connection } from './connection.ts'

const from = (remoteAddress: string, headers: Record<string, string> = {}): Connection => ({
  incoming: { headers, socket: { remoteAddress } },
})

function start(...trustedProxies: string[]) {
  const onUntrusted = vi.fn()
  return { ...createClientAddresses({ trustedProxies, onUntrusted }), onUntrusted }
}

describe('createClientAddresses', () => {
  it('uses the address of the connection, and the /64 of an IPv6 address', () => {
    const { addressOf } = start()
    expect(addressOf({})).toBeUndefined()
    expect(addressOf(from('203.0.113.9'))).toBe('203.0.113.9')
    expect(addressOf(from('::ffff:203.0.113.9'))).toBe('203.0.113.9')
    expect(addressOf(from('2001:db8:1:2:3:4:5:6'))).toBe('2001:db8:1:2::/64')
    expect(addressOf(from('2001:0db8:0001:0002::1'))).toBe('2001:db8:1:2::/64')
    expect(addressOf(from('2001:db8::1'))).toBe('2001:db8:0:0::/64')
    expect(addressOf(from('fe80::1%eth0'))).toBe('fe80:0:0:0::/64')
    expect(addressOf(from('64:ff9b::192.0.2.33'))).toBe('64:ff9b:0:0::/64')
    expect(addressOf(from('::1'))).toBe('0:0:0:0::/64')
  })

  it('ignores a forwarded address from an untrusted client', () => {
    const { addressOf } = start('10.0.0.0/8')
    for (const name of ['x-forwarded-for', 'forwarded'])
      expect(addressOf(from('203.0.113.9', { [name]: 'for=1.2.3.4' }))).toBe('203.0.113.9')
  })

  it('uses the last forwarded address that is not a trusted proxy', () => {
    const { addressOf } = start('10.0.0.0/8', '2001:db8::/32')
    const client = (list: string, peer = '10.0.0.1') => addressOf(from(peer, { 'x-forwarded-for': list }))
    expect(client('203.0.113.9')).toBe('203.0.113.9')
    expect(client('203.0.113.9', '::ffff:10.0.0.1')).toBe('203.0.113.9')
    expect(client('203.0.113.9', '2001:db8::5')).toBe('203.0.113.9')
    // The client may have written the addresses before it.
    expect(client('1.2.3.4, 203.0.113.9, 10.9.9.9,10.0.0.2')).toBe('203.0.113.9')
    expect(client('203.0.113.9:4711')).toBe('203.0.113.9')
    expect(client('[2a00:1::1]:4711')).toBe('2a00:1:0:0::/64')
    expect(client('2a00:1::1')).toBe('2a00:1:0:0::/64')
    expect(client('10.0.0.7')).toBe('10.0.0.7')
    expect(client('unknown')).toBe('10.0.0.1')
    expect(client('203.0.113.9, garbage, 10.0.0.2')).toBe('10.0.0.2')
    expect(client('')).toBe('10.0.0.1')
  })

  it('also reads Forwarded (RFC 7239), and neither header if they differ', () => {
    const { addressOf } = start('10.0.0.1')
    const client = (headers: Record<string, string>) => addressOf(from('10.0.0.1', headers))
    expect(client({ forwarded: 'for=203.0.113.9;proto=https;by=10.0.0.1' })).toBe('203.0.113.9')
    expect(client({ forwarded: 'for=1.2.3.4, proto=http; For="[2a00:1::1]:4711"' })).toBe('2a00:1:0:0::/64')
    expect(client({ forwarded: 'for=_hidden' })).toBe('10.0.0.1')
    expect(client({ forwarded: 'for="1.2.3.4, for=203.0.113.9' })).toBe('203.0.113.9')
    expect(client({ forwarded: 'for=203.0.113.9', 'x-forwarded-for': '203.0.113.9' })).toBe('203.0.113.9')
    expect(client({ forwarded: 'for=1.2.3.4', 'x-forwarded-for': '203.0.113.9' })).toBe('10.0.0.1')
  })

  it('reports a forwarded address from an untrusted client once', () => {
    const { addressOf, onUntrusted } = start('10.0.0.1')
    for (const connection of [{}, from('203.0.113.9'), from('10.0.0.1', { 'x-forwarded-for': '1.2.3.4' })])
      addressOf(connection)
    expect(onUntrusted).not.toHaveBeenCalled()
    for (let times = 0; times < 3; times += 1) addressOf(from('203.0.113.9', { forwarded: 'for=1.2.3.4' }))
    expect(onUntrusted).toHaveBeenCalledTimes(1)
  })

  it('treats direct requests of this machine and of a trusted proxy as local', () => {
    const { isLocal } = start('10.0.0.1')
    for (const peer of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '10.0.0.1'])
      expect([peer, isLocal(from(peer))]).toEqual([peer, true])
    expect(isLocal(from('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }))).toBe(false)
    expect(isLocal(from('10.0.0.1', { forwarded: 'for=127.0.0.1' }))).toBe(false)
    for (const name of ['via', 'x-real-ip', 'x-client-ip', 'x-forwarded-proto', 'x-forwarded-server'])
      expect([name, isLocal(from('127.0.0.1', { [name]: '1.1 proxy' }))]).toEqual([name, false])
    for (const host of ['localhost', 'localhost:8787', '127.0.0.1:8787', '[::1]:8787'])
      expect([host, isLocal(from('127.0.0.1', { host }))]).toEqual([host, true])
    // A page whose name leads to this machine, in a browser on this machine.
    expect(isLocal(from('127.0.0.1', { host: 'rebound.example:8787' }))).toBe(false)
    expect(isLocal(from('127.0.0.1', { host: 'localhost', origin: 'http://a.example' }))).toBe(false)
    expect(isLocal(from('203.0.113.9'))).toBe(false)
    expect(isLocal({})).toBe(false)
  })
})

describe('parseNetworks', () => {
  it('refuses values that are neither an address nor a network, and shows examples', () => {
    for (const text of ['', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '::1/129', '*'])
      expect(() => parseNetworks([text])).toThrow(`10.0.0.0/8, not "${text}"`)
    expect(() => parseNetworks(['10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32', '0.0.0.0/0'])).not.toThrow()
  })
})
