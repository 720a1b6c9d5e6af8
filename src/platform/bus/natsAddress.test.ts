import { describe, expect, it } from 'vitest'
import { readNatsAddress } from './natsAddress.ts'

describe('readNatsAddress', () => {
  it('parses servers and credentials', () => {
    const open = { access: {}, needsTls: false }
    expect(readNatsAddress('nats://bus')).toEqual({ ...open, servers: ['bus:4222'], name: 'bus:4222' })
    expect(readNatsAddress('nats://[::1]:80/')).toMatchObject({ servers: ['[::1]:80'] })
    expect(readNatsAddress('nats://a,b:4223, nats://c')).toMatchObject({ servers: ['a:4222', 'b:4223', 'c:4222'] })
    expect(readNatsAddress('tls://me:p%40ss@a,b')).toEqual({
      servers: ['a:4222', 'b:4222'],
      access: { user: 'me', pass: 'p@ss' },
      needsTls: true,
      name: 'a:4222,b:4222',
    })
    expect(readNatsAddress('nats://token@a').access).toEqual({ token: 'token' })
  })

  it.each([
    '',
    'bus:4222',
    'http://bus',
    'nats://',
    'nats://me:geheim@a/path',
    'nats://me:geheim@a?tls=true',
    'nats://me:12#geheim@a',
    'nats://me:geheim@a,',
    'nats://a,tls://b',
  ])('refuses %j without showing the password', text => {
    expect(() => readNatsAddress(text)).toThrow(/^Must be an address such as nats:\/\/user:password@host:4222, /)
  })
})
