import { describe, expect, it } from 'vitest'
import type { ReadBuiltFile } from '../packageFiles.ts'
import { createTestTenants, deskOrigin, outcomeOf } from '../testing/testTenants.ts'

const built = new Map([
  ['desk/index.html', '<!doctype html><title>Desk</title>'],
  ['desk/assets/app-1a.js', 'start()'],
  ['desk/assets/app-1a.txt', 'no part of the app'],
  ['desk/secret.js', 'not among the assets'],
])
const readBuiltFile: ReadBuiltFile = async path => {
  const text = built.get(path)
  return text === undefined ? null : new TextEncoder().encode(text)
}

async function start(read = readBuiltFile) {
  const { platform } = await createTestTenants({ readBuiltFile: read })
  return (path: string, method = 'GET') => platform.fetch(new Request(deskOrigin + path, { method }))
}

describe('the app of the desk', () => {
  it('has one page at each of its paths, which nobody can frame', async () => {
    const get = await start()
    for (const path of ['/desk', '/desk/', '/desk/invite', '/desk/conversations/a/b', '/desk/apiary']) {
      const page = await get(path)
      expect([path, page.status, await page.text()]).toEqual([path, 200, built.get('desk/index.html')])
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/)
      expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.get('x-content-type-options')).toBe('nosniff')
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(page.headers.get('cache-control')).toBe('no-cache')
    }
  })

  it('has files that are cached forever', async () => {
    const get = await start()
    const file = await get('/desk/assets/app-1a.js')
    expect(await file.text()).toBe('start()')
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const path of ['/desk/assets/app-2b.js', '/desk/assets/app-1a.txt', '/desk/assets/..%2fsecret.js'])
      expect((await get(path)).headers.get('content-type'), path).not.toContain('javascript')
    expect(await outcomeOf(get('/desk/assets/app-2b.js'))).toBe('404 not_found')
  })

  it('leaves its endpoints and other paths alone', async () => {
    const get = await start()
    for (const path of ['/desk/api', '/desk/api/', '/desk/api/nothing', '/desktop'])
      expect(await outcomeOf(get(path))).toBe('404 not_found')
    expect(await outcomeOf(get('/desk/invite', 'POST'))).toBe('405 method_not_allowed')
  })

  it('says that it is not built', async () => {
    const get = await start(async () => null)
    expect(await (await get('/desk')).json()).toMatchObject({
      status: 404,
      detail: expect.stringContaining('npm run build'),
    })
  })
})
