import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from './index.ts'
import { options, unknownToken } from './testing/testClients.ts'

afterEach(() => vi.unstubAllGlobals())

describe('createClient', () => {
  it.each([undefined, '', 'o_short', `Bearer ${unknownToken}`, `c:${'a'.repeat(64)}`, `${unknownToken}x`])(
    'throws at once for the organization token %j, says what to do, and does not repeat it',
    organizationToken => {
      const create = () => createClient({ ...options, organizationToken })
      expect(create).toThrow(TypeError)
      expect(create).toThrow('natter token create')
      if (organizationToken) expect(create).not.toThrow(organizationToken)
    },
  )

  it.each([undefined, '', 'chat.example', '/chat', 'ftp://chat.example', 'javascript:alert(1)'])(
    'throws at once for the address %j',
    baseUrl => {
      expect(() => createClient({ ...options, baseUrl })).toThrow('must be the http(s) address of the platform')
    },
  )

  it.each(['https://u:p@chat.example', 'https://chat.example?a=1', 'https://chat.example/#a'])(
    'throws at once for the address %s, which has a part that would be ignored',
    baseUrl => {
      expect(() => createClient({ ...options, baseUrl })).toThrow('must not contain')
    },
  )

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('throws at once for %s retries', maxRetries => {
    expect(() => createClient({ ...options, maxRetries })).toThrow('maxRetries must be a whole number')
  })

  it('throws at once for values of a wrong type, which JavaScript may pass', () => {
    const untyped = (more: object) => () => createClient({ ...options, ...more })
    expect(untyped({ timeoutMs: '5000' })).toThrow('timeoutMs must be a number')
    expect(untyped({ maxRetries: '2' })).toThrow('maxRetries must be a whole number')
    expect(untyped({ fetch: 'https://proxy.example' })).toThrow('fetch must be a function')
  })

  it('uses the default for an option that is undefined', () => {
    expect(createClient({ ...options, timeoutMs: undefined, maxRetries: undefined, fetch: undefined })).toBeDefined()
  })

  it.each([
    ['baseUrl', 'NATTER_BASE_URL'],
    ['botId', 'NATTER_BOT_ID'],
    ['organizationToken', 'NATTER_ORGANIZATION_TOKEN'],
  ])('asks for the environment variable if %s is not set', (name, variable) => {
    const question = `is ${variable} set (node --env-file=.env)?`
    const withValue = (value: undefined | '') => () => createClient({ ...options, [name]: value })
    expect(withValue(undefined)).toThrow(`createClient: ${name} is undefined: ${question}`)
    expect(withValue('')).toThrow(`createClient: ${name} is empty: ${question}`)
  })

  it('throws at once without a bot', () => {
    expect(() => createClient({ ...options, botId: '' })).toThrow('natter bot list')
    expect(() => createClient({ ...options, botId: undefined })).toThrow('natter bot list')
  })

  it.each([
    ['https://chat.example', 'https://chat.example/v1/bots/bot-1/contacts/x'],
    ['https://chat.example/', 'https://chat.example/v1/bots/bot-1/contacts/x'],
    ['https://example.com/chat', 'https://example.com/chat/v1/bots/bot-1/contacts/x'],
    ['https://example.com/chat//', 'https://example.com/chat/v1/bots/bot-1/contacts/x'],
    ['HTTP://[::1]:8787', 'http://[::1]:8787/v1/bots/bot-1/contacts/x'],
  ])('calls %s at %s', async (baseUrl, expected) => {
    const urls: string[] = []
    const fetch = (request: Request) => {
      urls.push(request.url)
      return new Response(null, { status: 204 })
    }
    await createClient({ ...options, baseUrl, fetch }).contacts.delete('x')
    expect(urls).toEqual([expected])
  })

  it('refuses to run in a page and in a browser worker, and names tokenHandler instead', () => {
    vi.stubGlobal('document', {})
    expect(() => createClient(options)).toThrow(/must not run in a browser.*tokenHandler/)
    vi.unstubAllGlobals()
    vi.stubGlobal('WorkerGlobalScope', class {})
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0' })
    expect(() => createClient(options)).toThrow('must not run in a browser')
  })

  it.each(['Node.js/24', 'Deno/2.1', 'Bun/1.2', 'Cloudflare-Workers'])('runs in %s', userAgent => {
    vi.stubGlobal('WorkerGlobalScope', class {})
    vi.stubGlobal('navigator', { userAgent })
    expect(createClient(options)).toHaveProperty('contacts.create')
  })

  it('uses the global fetch at the time of the call', async () => {
    const client = createClient(options)
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 204 })))
    await expect(client.contacts.delete('x')).resolves.toBeUndefined()
  })

  it('does not show the organization token when it is printed', () => {
    const client = createClient(options)
    expect(inspect(client, { depth: 10, showHidden: true }) + JSON.stringify(client)).not.toContain(unknownToken)
  })
})
