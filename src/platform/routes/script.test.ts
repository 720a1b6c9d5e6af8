import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createTestTenants } from '../testing/testTenants.ts'

const files: Record<string, string> = {
  'natter.js': 'script',
  'natter@1.2.3/core-abc.js': 'core',
  'natter@1.2.2/core-old.js': 'older core',
  'cli.js': 'not for browsers',
  'natter@1.2.3/map.json': '{}',
}
const requests: string[] = []
const readBuiltFile = async (path: string) => {
  requests.push(path)
  return Object.hasOwn(files, path) ? new TextEncoder().encode(files[path]) : null
}

describe('the routes of the script', () => {
  it('serve the script for 5 minutes with an ETag, and its chunks of every version forever, to any site', async () => {
    const tenants = await createTestTenants({ readBuiltFile })
    const get = (path: string, headers: Record<string, string> = {}) =>
      tenants.platform.fetch(
        new Request(`http://natter.test${path}`, { headers: { origin: 'https://any.example', ...headers } }),
      )

    const script = await get('/natter.js')
    expect(await script.text()).toBe('script')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toBe('public, max-age=300')
    const repeated = await get('/natter.js', { 'if-none-match': `W/${script.headers.get('etag')}` })
    expect([repeated.status, await repeated.text()]).toEqual([304, ''])
    expect((await get('/natter.js', { 'if-none-match': '"other"' })).status).toBe(200)

    for (const path of ['/natter@1.2.3/core-abc.js', '/natter@1.2.2/core-old.js']) {
      const chunk = await get(path)
      expect(await chunk.text()).toBe(files[path.slice(1)])
      expect(chunk.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(chunk.headers.get('access-control-allow-origin')).toBe('*')
    }
    await tenants.close()
  })

  it('use brotli if accepted, with a separate ETag', async () => {
    const tenants = await createTestTenants({ readBuiltFile })
    const get = (coding?: string) =>
      tenants.platform.fetch(
        new Request('http://natter.test/natter.js', { headers: coding ? { 'accept-encoding': coding } : {} }),
      )
    const plain = await get()
    const compressed = await get('gzip, deflate, br')
    expect(compressed.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(await compressed.arrayBuffer()).toString()).toBe(await plain.text())
    expect(compressed.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    for (const response of [plain, compressed]) expect(response.headers.get('vary')).toBe('Accept-Encoding')
    for (const coding of ['gzip', 'br;q=0', 'brown']) {
      expect((await get(coding)).headers.get('content-encoding')).toBeNull()
    }
    await tenants.close()
  })

  it('serve no other file for any path', async () => {
    const tenants = await createTestTenants({ readBuiltFile })
    requests.length = 0
    const paths = [
      '/cli.js',
      '/natter@1.2.3/map.json',
      '/natter@1.2.3/..%2fcli.js',
      '/natter@1.2.3/%2e%2e%2fcli.js',
      '/natter@1.2.3/..%5ccli.js',
      '/natter@1.2.3%2f../cli.js',
      '/natter@..%2f/cli.js',
      '/natter@../natter.js/../cli.js',
      '/natter@1.2.3/%00core-abc.js',
      '/natter@1.2.3/.core.js',
      '/natter@1.2.3/',
      '/natter@/x/y.js',
    ]
    for (const path of paths) {
      const response = await tenants.platform.fetch(new Request(`http://natter.test${path}`))
      expect([path, response.status]).toEqual([path, 404])
    }
    expect(requests.filter(path => !/^natter@[\w.+-]+\/\w[\w.-]*\.js$/.test(path))).toEqual([])
    await tenants.close()
  })
})
