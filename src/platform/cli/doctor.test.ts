import { afterAll, expect, it } from 'vitest'
import { createTestCli } from '../testing/testCli.ts'
import { startTestServer } from '../testing/testServer.ts'

const cli = await createTestCli()
const site = await startTestServer((response, { path }) => {
  if (path === '/') response.end('<title>Shop</title>')
  else response.writeHead(404).end()
})
afterAll(site.close)

it('natter doctor fails if a check fails, and asks the platform, the bot and the route that it is given', async () => {
  const options = ['--base-url', `${site.url}/chat/`, '--bot', 'b', '--token-url', '/chat-token']
  await expect(cli.natter('doctor', '--site', `${site.url}/`, ...options)).rejects.toThrow(
    /^\d of \d+ checks failed\.$/,
  )
  expect(cli.stderr.join('')).toContain('The organization token was not tried. Set NATTER_BASE_URL')
  expect(site.requests.map(({ path }) => path)).toEqual(['/', '/chat-token', '/chat/healthz'])
  const withPath = cli.natter('doctor', '--site', `${site.url}/`, '--base-url', `${site.url}/v1/`)
  await expect(withPath).rejects.toThrow('--base-url must not end with /v1')
  const withRelative = cli.natter('doctor', '--site', `${site.url}/`, '--token-url', 'chat-token')
  await expect(withRelative).rejects.toThrow('--token-url must be a path such as /chat-token, or an address')
  await expect(cli.natter('doctor', '--site', 'shop.example')).rejects.toThrow('--site must be an address')
  await expect(cli.natter('doctor', '--site', `${site.url}/missing`)).rejects.toThrow(/^1 of 1 check failed\.$/)
})

it('natter doctor prints a note, and does not count it', async () => {
  const options = ['--site', `${site.url}/`, '--base-url', `${site.url}/chat`, '--bot', 'b']
  const { length } = cli.stdout
  await expect(cli.natter('doctor', ...options)).rejects.toThrow(/^1 of 7 checks failed\.$/)
  await expect(cli.natter('doctor', ...options, '--json')).rejects.toThrow(/^1 of 7 checks failed\.$/)
  const [line, printed] = cli.stdout.slice(length).filter(each => each.includes('token-route'))
  const found = 'the page has no tag that names it, so it was not tried'
  const fix = 'Name it with --token-url.'
  expect(line).toBe(`note token-route: ${found}. ${fix}`)
  expect(JSON.parse(printed ?? '')).toEqual({ check: 'token-route', ok: true, kind: 'note', found, fix })
})
