import { brotliDecompressSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
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
const tenants = await createTestTenants({ readBuiltFile })
afterAll(() => tenants.close())
const get = (path: string, headers: Record<string, string> = {}) =>
  tenants.platform.fetch(new Request(`http://natter.test${path}`, { headers }))

describe('the routes of the script', () => {
  it('serve the script for 5 minutes with an ETag', async () => {
    const script = await get('/natter.js')
    expect(await script.text()).toBe('script')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toBe('public, max-age=300')
    const repeated = await get('/natter.js', { 'if-none-match': `W/${script.headers.get('etag')}` })
    expect([repeated.status, await repeated.text()]).toEqual([304, ''])
    expect((await get('/natter.js', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it.each(['/natter@1.2.3/core-abc.js', '/natter@1.2.2/core-old.js'])(
    'serve the chunks of every version forever, to any site: %s',
    async path => {
      const chunk = await get(path, { origin: 'https://any.example' })
      expect(await chunk.text()).toBe(files[path.slice(1)])
      expect(chunk.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(chunk.headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  it('use brotli if accepted, with a separate ETag', async () => {
    const plain = await get('/natter.js')
    const compressed = await get('/natter.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect(compressed.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(await compressed.arrayBuffer()).toString()).toBe(await plain.text())
    expect(compressed.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    for (const response of [plain, compressed]) expect(response.headers.get('vary')).toBe('Accept-Encoding')
    for (const coding of ['gzip', 'br;q=0', 'brown'])
      expect((await get('/natter.js', { 'accept-encoding': coding })).headers.get('content-encoding')).toBeNull()
  })

  it('serve no other file for any path', async () => {
    requests.length = 0
    const paths = [
      ...['/cli.js', '/natter@1.2.3/map.json', '/natter@1.2.3/..%2fcli.js', '/natter@1.2.3/%2e%2e%2fcli.js'],
      ...['/natter@1.2.3/..%5ccli.js', '/natter@1.2.3%2f../cli.js', '/natter@..%2f/cli.js'],
      ...['/natter@../natter.js/../cli.js', '/natter@1.2.3/%00core-abc.js', '/natter@1.2.3/.core.js'],
      ...['/natter@1.2.3/', '/natter@/x/y.js'],
    ]
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 404])
    expect(requests.filter(path => !/^natter@[\w.+-]+\/\w[\w.-]*\.js$/.test(path))).toEqual([])
  })
})
