import { describe, expect, it } from 'vitest'
import { parseOrigin } from './origin.ts'

describe('an origin', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['HTTPS://Shop.Example/', 'https://shop.example'],
    [' https://shop.example:443 ', 'https://shop.example'],
    ['http://shop.example:80', 'http://shop.example'],
    ['http://shop.example:443', 'http://shop.example:443'],
    ['https://bücher.example:8443/', 'https://xn--bcher-kva.example:8443'],
    ['http://[::1]:5173', 'http://[::1]:5173'],
    ['capacitor://localhost', 'capacitor://localhost'],
    ['ionic://Localhost/', 'ionic://localhost'],
    ['tauri://localhost', 'tauri://localhost'],
    ['chrome-extension://abcdefghijklmnop', 'chrome-extension://abcdefghijklmnop'],
  ])('%s is what browsers send as %s', (text, origin) => {
    expect(parseOrigin(text)).toEqual({ origin })
  })

  it.each([
    ['shop.example', 'scheme, host and port,'],
    ['https:shop.example', 'scheme, host and port,'],
    ['javascript:alert(1)', 'scheme, host and port,'],
    ['https://', 'of pages'],
    ['https://a..b', 'of pages'],
    ['file:///index.html', 'of pages'],
    ['wss://shop.example', 'of pages'],
    ['capacitor://', 'of pages'],
    ['https://shop.example/chat', 'without a path'],
    ['https://shop.example?x', 'without a path'],
    ['https://user:password@shop.example', 'without a path'],
  ])('is not %s, and the reason says what is wrong', (text, reason) => {
    expect(parseOrigin(text)).toEqual({ reason: expect.stringContaining(reason) })
  })
})
