import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emailPrefix } from '../../conformance/testTarget.ts'
import { callBot, killServers, type RunningServer, run, serve } from '../testing/cliProcess.ts'

let platform: RunningServer
beforeAll(async () => {
  platform = await serve(['--dev', '--database', ':memory:'])
}, 30_000)
afterAll(async () => {
  // Fails if a response violated the OpenAPI document.
  await platform.stop()
  killServers()
})

/** Runs `natter conformance` in a separate process, which is interrupted when it has printed a line if asked for. */
async function conformance(args: string[], { isInterrupted = false } = {}) {
  const env = { ...process.env, NATTER_ORGANIZATION_TOKEN: platform.organizationToken }
  const all = ['conformance', '--base-url', platform.baseUrl, '--bot', platform.botId, ...args]
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'cli.ts'), ...all], { env })
  const lines: string[] = []
  createInterface(child.stdout).on('line', line => {
    lines.push(line)
    if (isInterrupted) child.kill('SIGINT')
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code: code as number, lines, stderr }
}

/** Runs `natter conformance` in this process. */
async function runHere(args: string[], { botId = platform.botId, baseUrl = platform.baseUrl } = {}) {
  const all = ['conformance', '--base-url', baseUrl, '--bot', botId, ...args]
  const { code, stdout, stderr } = await run(all, { NATTER_ORGANIZATION_TOKEN: platform.organizationToken })
  return { code, lines: stdout.split('\n'), stderr }
}

/** Starts a proxy that returns 200 instead of 204, until it is closed. */
async function startProxy(): Promise<{ baseUrl: string; close(): void }> {
  const server = createServer(async ({ method = '', url = '', headers }, outgoing) => {
    const { authorization = '' } = headers
    const response = await fetch(platform.baseUrl + url, { method, headers: { authorization } })
    outgoing.writeHead(response.status === 204 ? 200 : response.status).end(await response.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

async function left(): Promise<number> {
  const found = await callBot(platform, platform.organizationToken, 'POST', `/contacts?query=${emailPrefix}`)
  return ((await found.json()) as { pagination: { total: number } }).pagination.total
}

describe('natter conformance', { timeout: 120_000 }, () => {
  it('passes all rules on a real server, prints them without the token, and leaves nothing behind', async () => {
    const { code, lines, stderr } = await conformance([])
    expect(lines.filter(line => !/^ok (\d(\.\d)?|natter\/\w+) \S/.test(line))).toEqual([])
    expect([code, stderr]).toEqual([0, `All ${lines.length} rules passed.\n`])
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
    const { code, stderr } = await conformance(['--only', '^(4.2 search|8)'], { isInterrupted: true })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Interrupted/)])
    expect(await left()).toBe(0)
  })

  it('exits with 1 if a rule fails, and prints the expected and the actual value', async () => {
    const { baseUrl, close } = await startProxy()
    const only = 'revoking a token again|anyone|without a token'
    const { code, lines, stderr } = await runHere(['--only', only], { baseUrl })
    close()
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
