import { afterAll, describe, expect, it } from 'vitest'
import { selectRules } from '../../conformance/conformance.ts'
import { emailPrefix } from '../../conformance/testTarget.ts'
import { callBot, run, serve, startNatter } from '../testing/cliProcess.ts'
import { startTestServer } from '../testing/testServer.ts'

const platform = await serve(['--dev', '--database', ':memory:'])
// Fails if a response violated the OpenAPI document.
afterAll(() => platform.stop())

const variables = { NATTER_ORGANIZATION_TOKEN: platform.organizationToken }
const argsOf = (args: string[], { botId = platform.botId, baseUrl = platform.baseUrl } = {}) => [
  ...['conformance', '--base-url', baseUrl, '--bot', botId],
  ...args,
]

/** Runs `natter conformance` in this process. */
async function runHere(args: string[], target?: { botId?: string; baseUrl?: string }) {
  const { code, stdout, stderr } = await run(argsOf(args, target), variables)
  return { code, lines: stdout.split('\n'), stderr }
}

async function left(): Promise<number> {
  const found = await callBot(platform, platform.organizationToken, 'POST', `/contacts?query=${emailPrefix}`)
  return ((await found.json()) as { pagination: { total: number } }).pagination.total
}

describe('natter conformance', { timeout: 120_000 }, () => {
  it('passes all rules on a real server, prints them without the token, and leaves nothing behind', async () => {
    const { ended, stdout, stderr } = startNatter(argsOf([]), variables)
    expect(await ended).toBe(0)
    const lines = stdout().trim().split('\n')
    expect(lines.length).toBe(selectRules({}).length)
    expect(lines.length).toBeGreaterThan(100)
    expect(lines.filter(line => !/^ok (\d(\.\d)?|natter\/\w+) \S/.test(line))).toEqual([])
    expect(stderr()).toBe(`All ${lines.length} rules passed.\n`)
    expect(lines).toContain('ok 4.2 create a contact returns the contact with its new id')
    expect(lines.join()).not.toContain(platform.organizationToken.slice(2))
    expect(await left()).toBe(0)
  })

  it('can check only the rules of the specification, and print JSON', async () => {
    const { code, lines } = await runHere(['--spec-only', '--only', '^4.1', '--json'])
    expect(code).toBe(0)
    const results = lines.map(line => JSON.parse(line) as object)
    expect(results).toContainEqual({
      label: '4.1',
      source: 'specification',
      title: 'revoke a contact token returns 204 without a body',
      ok: true,
    })
    for (const result of results) expect(result).toMatchObject({ source: 'specification' })
  })

  it('deletes what it has created when it is interrupted', async () => {
    // The last of these rules takes so long that it is interrupted.
    const { firstMatch, stop, stderr } = startNatter(argsOf(['--only', '^(4.2 search|8)']), variables)
    await firstMatch(/\n/)
    expect(await stop('SIGINT')).toBe(1)
    expect(stderr()).toMatch(/Interrupted/)
    expect(await left()).toBe(0)
  })

  it('exits with 1 if a rule fails, and prints the expected and the actual value', async () => {
    // A proxy that returns 200 instead of 204.
    const proxy = await startTestServer(async (outgoing, { method, path, headers }) => {
      const authorization = headers.get('authorization') ?? ''
      const response = await fetch(platform.baseUrl + path, { method, headers: { authorization } })
      outgoing.writeHead(response.status === 204 ? 200 : response.status).end(await response.text())
    })
    const only = 'revoking a token again|anyone|without a token'
    const { code, lines, stderr } = await runHere(['--only', only], { baseUrl: proxy.url })
    expect(lines).toEqual([
      'ok 5.1 every contact and contact-token endpoint refuses a request without a token',
      expect.stringMatching(/^FAILED natter\/tokens revoking a token again.*: expected .*, got \d{3} /),
      'ok natter/responses anyone can read the OpenAPI document at /v1/openapi.json',
    ])
    expect([code, stderr]).toEqual([1, 'natter: 1 of 3 rules failed.\n'])
  })

  it('exits with 1 if the server is unreachable, and with 2 for invalid arguments', async () => {
    const unknown = await runHere([], { botId: 'nobody' })
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/cannot be checked.*"natter bot list"/)])
    expect(unknown.stderr).not.toContain(platform.organizationToken)
    const none = await runHere(['--only', 'no such rule'])
    expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/No rule/)])
  })
})
