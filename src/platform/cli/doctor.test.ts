import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'
import { startTestServer, type TestServer } from '../testing/testServer.ts'

let office: TestCli
let site: TestServer
beforeAll(async () => {
  office = createTestCli()
  site = await startTestServer((response, { path }) => {
    if (path === '/') response.end('<title>Shop</title>')
    else response.writeHead(404).end()
  })
})
afterAll(async () => {
  await site.close()
  office.remove()
})

it('natter doctor fails if a check fails, and asks the platform, the bot and the route that it is given', async () => {
  const options = ['--base-url', `${site.url}/chat/`, '--bot', 'b', '--token-url', '/chat-token']
  await expect(office.natter('doctor', '--site', `${site.url}/`, ...options)).rejects.toThrow(
    /^\d of \d+ checks failed\.$/,
  )
  expect(site.requests.map(({ path }) => path)).toEqual([
    '/',
    '/chat-token',
    '/chat-token',
    '/chat-token',
    '/chat/healthz',
  ])
  await expect(office.natter('doctor', '--site', 'shop.example')).rejects.toThrow('--site must be an address')
})
