import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { killServers, type RunningServer, run, serve } from '../testing/cliProcess.ts'
import { readEvents } from '../testing/testTenants.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natter-serve-'))
  file = join(folder, 'natter.db')
})
afterEach(() => {
  killServers()
  rmSync(folder, { recursive: true })
})

const start = ({ port = '0', database = file }: { port?: string; database?: string }) =>
  run(['serve', '--dev', '--port', port, '--database', database])

describe('natter serve, when it cannot start', { timeout: 30_000 }, () => {
  it('does not touch the database while another program uses the port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { code, stderr } = await start({ port: String((other.address() as AddressInfo).port) })
    other.close()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^natter: Port \d+ of 127\.0\.0\.1 is in use: .*--port/)])
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps the tokens of a running server if a second one wants its port', async () => {
    const first = await serve(['--dev', '--database', file])
    const { code } = await start({ port: new URL(first.baseUrl).port })
    expect(code).toBe(1)
    const headers = { authorization: first.organizationToken }
    expect((await fetch(`${first.baseUrl}/v1/bots/${first.botId}/contacts`, { method: 'POST', headers })).status).toBe(
      200,
    )
    await first.stop()
  })

  it('reports missing write permission', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    // Root may write everywhere, but not below a file.
    writeFileSync(join(folder, 'file'), '')
    const paths = [join(folder, 'file', 'natter.db'), ...(process.getuid?.() === 0 ? [] : [join(closed, 'natter.db')])]
    for (const path of paths) {
      const { code, stderr } = await start({ database: path })
      expect([code, stderr]).toEqual([
        1,
        `natter: Cannot write to the database ${path}: let this user write to it and to its folder, or name another file with --database.\n`,
      ])
    }
  })

  it('says that a database is a folder, and which file there it may be', async () => {
    const { code, stderr } = await start({ database: folder })
    expect([code, stderr]).toEqual([
      1,
      `natter: ${folder} is a folder: name a file, such as ${join(folder, 'natter.db')}.\n`,
    ])
  })

  it('creates no folder for a misspelt database path', async () => {
    const { code, stderr } = await start({ database: join(folder, 'typo', 'natter.db') })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no folder ${join(folder, 'typo')}:`)])
    expect(readdirSync(folder)).toEqual([])
  })

  it('does not change a file that is not a database, not a Natter database, or of a newer version', async () => {
    const theirs = join(folder, 'theirs.db')
    const db = new DatabaseSync(theirs)
    db.exec('CREATE TABLE theirs (id)')
    db.close()
    await run(['org', 'create', '--name', 'Acme', '--database', file])
    const newer = new DatabaseSync(file)
    newer.exec('PRAGMA user_version = 99')
    newer.close()
    const garbage = join(folder, 'garbage.db')
    writeFileSync(garbage, 'no database at all, and long enough for a header'.repeat(100))
    for (const [name, message] of [
      [theirs, /no database of Natter/],
      [file, /newer version of Natter/],
      [garbage, /not a database: name another file with --database/],
    ] as const) {
      const before = readFileSync(name)
      const { code, stderr } = await start({ database: name })
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
      expect(stderr).toMatch(message)
      expect(readFileSync(name).equals(before)).toBe(true)
      expect(existsSync(`${name}-wal`)).toBe(false)
    }
  })
})

describe('natter serve --dev', { timeout: 30_000 }, () => {
  it('keeps the token that it has written into a file, beside its other lines', async () => {
    const env = join(folder, '.env')
    writeFileSync(env, 'SESSION_SECRET=s\nNATTER_BOT_ID=old')
    const words = ['--dev', '--write-env', env, '--database', file]
    const first = await serve(words)
    const written = readFileSync(env, 'utf8')
    expect(parseEnv(written)).toEqual({
      SESSION_SECRET: 's',
      NATTER_BASE_URL: first.baseUrl,
      NATTER_BOT_ID: first.botId,
      NATTER_ORGANIZATION_TOKEN: first.organizationToken,
    })
    await first.stop()
    const second = await serve(words)
    expect(second.organizationToken).toBe(first.organizationToken)
    expect(readFileSync(env, 'utf8')).toBe(written.replace(first.baseUrl, second.baseUrl))
  })

  it('prints variables as a shell and Node read them, with which a server reaches the bot', async () => {
    const words = [join(import.meta.dirname, '../cli.ts'), 'serve', '--dev', '--port', '0', '--database', file]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      let printed = ''
      for await (const piece of child.stdout.setEncoding('utf8')) {
        printed += piece
        if (printed.includes('natter token create')) break
      }
      const exported = printed.split('\n').filter(line => line.startsWith('export '))
      const shell = spawn('sh', ['-c', `${exported.join('\n')}\nenv | grep ^NATTER_`], { env: {} })
      const inShell = parseEnv(await text(shell.stdout))
      const { NATTER_BASE_URL, NATTER_BOT_ID, NATTER_ORGANIZATION_TOKEN = '', ...others } = inShell
      expect([parseEnv(exported.join('\n')), others]).toEqual([inShell, {}])
      const response = await fetch(`${NATTER_BASE_URL}/v1/bots/${NATTER_BOT_ID}/contacts`, {
        method: 'POST',
        headers: { authorization: NATTER_ORGANIZATION_TOKEN },
      })
      expect(response.status).toBe(200)
    } finally {
      child.kill('SIGKILL')
    }
  })
})

describe('natter serve, on SIGTERM', { timeout: 30_000 }, () => {
  const put = (served: RunningServer, path: string, form: Record<string, string>) =>
    fetch(`${served.baseUrl}/v1/bots/${served.botId}${path}`, {
      method: 'PUT',
      headers: { authorization: served.organizationToken },
      body: new URLSearchParams(form),
    })
  const idOf = async (response: Response) => ((await response.json()) as { data: { id: string } }).data.id

  it('finishes running requests, spreads the reconnection of streams, and loses nothing', async () => {
    const served = await serve(['--dev', '--database', file, '--rate-limit', '0'])
    const widget = `${served.baseUrl}/v1/bots/${served.botId}/widget`
    const streams = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { data } = (await (await fetch(`${widget}/sessions`, { method: 'POST' })).json()) as {
          data: { token: string }
        }
        const events = readEvents(await fetch(`${widget}/events`, { headers: { authorization: data.token } }))
        await events.next()
        return events
      }),
    )

    // Eight clients that send requests until they are refused.
    const acknowledged: string[] = []
    const busy = Promise.withResolvers<void>()
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let number = 0; ; number++) {
        const form = { name: 'Ada', email: `ada-${client}-${number}@example.com` }
        const response = await put(served, '/contacts', form).catch(() => null)
        if (response?.status !== 201) return
        acknowledged.push(await idOf(response))
        if (acknowledged.length === 50) busy.resolve()
      }
    })
    await busy.promise

    // A request of which only a half has arrived when the signal is received.
    const body = JSON.stringify({ name: 'Ada', email: 'last@example.com' })
    const { port, pathname } = new URL(`${served.baseUrl}/v1/bots/${served.botId}/contacts`)
    const slow = request({
      host: '127.0.0.1',
      port,
      path: pathname,
      method: 'PUT',
      headers: {
        authorization: served.organizationToken,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    await new Promise(written => slow.write(body.slice(0, 10), written))
    // The response comes on a separate connection, so the server has read what was sent before.
    await fetch(`${served.baseUrl}/healthz`)

    const stopped = served.stop()
    const pauses = await Promise.all(streams.map(async events => (await events.nextOf('retry')).data['ms']))
    expect(new Set(pauses).size).toBeGreaterThan(5)
    slow.end(body.slice(10))
    const [answer] = (await once(slow, 'response')) as [import('node:http').IncomingMessage]
    expect(answer.statusCode).toBe(201)
    acknowledged.push((JSON.parse(await text(answer)) as { data: { id: string } }).data.id)
    // 0: it exited by itself, within the 9.5 s after which it would have given up with 1.
    expect(await stopped).toBe(0)
    await Promise.all(clients)

    const restarted = await serve(['--dev', '--database', file, '--rate-limit', '0'])
    const headers = { authorization: restarted.organizationToken }
    for (const id of acknowledged) {
      const found = await fetch(`${restarted.baseUrl}/v1/bots/${restarted.botId}/contacts/${id}`, { headers })
      expect(found.status).toBe(200)
    }
    expect(await restarted.stop()).toBe(0)
  })
})
