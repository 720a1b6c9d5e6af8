import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from './fixtures.ts'

const cli = join(import.meta.dirname, 'cli.ts')
const run = promisify(execFile)
const natter = async (...words: string[]) => (await run(process.execPath, [cli, ...words])).stdout.trim()
const failing = async (...words: string[]) => {
  const error = (await run(process.execPath, [cli, ...words]).catch(error => error)) as { code: number; stderr: string }
  return [error.code, error.stderr] as const
}

let folder: string
let database: string
const children = new Set<ChildProcessByStdio<null, Readable, Readable>>()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'natter-cli-'))
  database = join(folder, 'natter.db')
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})
afterAll(() => rm(folder, { recursive: true }))

interface Printed {
  baseUrl: string
  botId: string
  organizationToken: string
}
async function serve(...words: string[]) {
  const all = ['serve', '--json', '--port', '0', '--database', database, ...words]
  const child = spawn(process.execPath, [cli, ...all], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', line => lines.push(line))
  await Promise.race([once(reader, 'line'), once(child, 'close')])
  if (lines[0] === undefined) throw new Error(log)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const closed = once(child, 'close')
    child.kill(signal)
    const [code] = (await closed) as [number | null]
    return code
  }
  return { ...(JSON.parse(lines[0]) as Printed), lines, log: () => log, stop }
}
const search = async ({ baseUrl, botId }: Printed, token: string) =>
  (await fetch(`${baseUrl}/v1/bots/${botId}/contacts`, { method: 'POST', headers: { authorization: token } })).status

describe('natter serve --dev --json', { timeout: 30_000 }, () => {
  it('prints one line, accepts requests, and ends well on SIGTERM with a stream open', async () => {
    const first = await serve('--dev')
    expect(Object.keys(JSON.parse(first.lines[0] ?? ''))).toEqual(['baseUrl', 'botId', 'organizationToken'])
    expect(await search(first, first.organizationToken)).toBe(200)
    const bot = `${first.baseUrl}/v1/bots/${first.botId}/widget`
    const headers = { origin: 'http://localhost:4711' }
    expect((await fetch(bot, { headers })).headers.get('access-control-allow-origin')).toBe(headers.origin)
    const created = await fetch(`${bot}/sessions`, { method: 'POST' })
    const { data } = (await created.json()) as { data: { token: string } }
    const events = readEvents(await fetch(`${bot}/events`, { headers: { authorization: data.token } }))
    await events.next()
    const stopped = first.stop()
    expect(await events.nextOf('retry')).toBeTruthy()
    expect(await stopped).toBe(0)
    expect(first.lines).toHaveLength(1)
    expect(first.log()).toContain('/v1/bots/{botId}/widget/events')
    expect(first.log()).not.toContain(data.token.slice(2))
    expect(first.log()).not.toContain(first.organizationToken.slice(2))

    // The next start finds the same bot, and the token of the one before has ended.
    const second = await serve('--dev')
    expect(second.botId).toBe(first.botId)
    expect(await search(second, first.organizationToken)).toBe(401)
    expect(await search(second, second.organizationToken)).toBe(200)
    expect(await second.stop('SIGINT')).toBe(0)
  })
})

describe('natter org, bot, token', { timeout: 30_000 }, () => {
  it('set up a platform without --dev, and revoke a token of a running one', async () => {
    const file = ['--database', join(folder, 'real.db')]
    const organization = await natter('org', 'create', '--name', 'Acme', ...file)
    const words = ['--organization', organization, '--name', 'Shop', '--origin', 'https://shop.example']
    const botId = await natter('bot', 'create', ...words, ...file)
    const token = await natter('token', 'create', '--organization', organization, ...file)
    expect(await natter('org', 'list', ...file)).toBe(`${organization}\tAcme`)
    expect(await natter('bot', 'list', ...file)).toBe(`${botId}\t${organization}\tShop\thttps://shop.example`)
    const listed = await natter('token', 'list', ...file)
    expect(listed).toContain('open')
    expect(listed).not.toContain(token)

    const running = { ...(await serve(...file)), botId }
    expect(running.lines[0]).toBe(JSON.stringify({ baseUrl: running.baseUrl }))
    expect(await search(running, token)).toBe(200)
    await natter('token', 'revoke', token.slice(0, 10), ...file)
    expect(await search(running, token)).toBe(401)
    expect(await natter('token', 'list', ...file)).toContain('revoked')
    const headers = { origin: 'http://localhost:4711' }
    expect((await fetch(`${running.baseUrl}/v1/bots/${botId}/widget`, { headers })).status).toBe(403)
    expect(await running.stop()).toBe(0)
  })

  it('say what is wrong in one line, and end with 2 for a mistake of the caller', async () => {
    const file = ['--database', join(folder, 'other.db')]
    const mistakes = [
      [['bot', 'create', '--organization', 'nobody', '--name', 'x', ...file], /no organization nobody/],
      [['token', 'revoke', 'o_short', ...file], /first 10 characters/],
      [['token', 'revoke', 'o_12345678', ...file], /No open token/],
      [['org', 'create', '--name', 'x', '--database', ':memory:'], /in memory/],
      [['serve', '--port', 'x'], /--port/],
    ] as const
    for (const [words, message] of mistakes) {
      const [code, stderr] = await failing(...words)
      expect(code).toBe(2)
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('    at ')
    }
    expect(await failing('serve', '--content', '/nowhere', ...file)).toEqual([1, expect.stringContaining('/nowhere')])
  })
})
