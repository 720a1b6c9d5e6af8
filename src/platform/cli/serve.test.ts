import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { startProcess } from '../../testProcess.ts'
import { listen } from '../../testServer.ts'
import { startPlatform } from '../start.ts'
import { callBot, run, serve, startNatter } from '../testing/cliProcess.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { dataOf, readEvents } from '../testing/testTenants.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = createTemporaryFolder()
  file = join(folder, 'natter.db')
})

const start = ({ port = '0', database = file }: { port?: string; database?: string }) =>
  run(['serve', '--dev', '--port', port, '--database', database])

describe('natter serve, when it cannot start', () => {
  it('does not touch the database while another program uses the port', async () => {
    const other = await listen(createServer())
    const { code, stderr } = await start({ port: `${other.port}` })
    await other.close()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^natter: Port \d+ of 127\.0\.0\.1 is in use: .*--port/)])
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps the tokens of a running server if a second one wants its port', async () => {
    const {
      close,
      baseUrl,
      botId = '',
      organizationToken = '',
    } = await startPlatform({ dev: true, port: 0, database: file })
    expect((await start({ port: new URL(baseUrl).port })).code).toBe(1)
    expect((await callBot({ baseUrl, botId }, organizationToken, 'POST', '/contacts')).status).toBe(200)
    await close()
  })

  it('says what OpenID Connect needs, before anybody could sign in with a password', async () => {
    const { code, stderr } = await run(['serve', '--database', file], { NATTER_OIDC_CLIENT_ID: 'desk' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs NATTER_OIDC_ISSUER, NATTER_OIDC_CLIENT_ID and')])
    expect(readdirSync(folder)).toEqual([])
  })

  it('says what emails need, and shows no password', async () => {
    const smtp = 'smtps://shop:hunter2@smtp.example'
    const settings = { NATTER_SMTP_URL: smtp, NATTER_EMAIL_FROM: 'chat@shop.example' }
    for (const [variables, words] of [
      [settings, 'Emails also need NATTER_BASE_URL.'],
      [{ NATTER_SMTP_URL: smtp }, 'Emails also need NATTER_EMAIL_FROM and NATTER_BASE_URL.'],
      [{ ...settings, NATTER_SMTP_URL: `${smtp}/?debug=true` }, 'must be smtps://user:password@host:465 or'],
    ] as const) {
      const { code, stderr } = await run(['serve', '--database', file], variables)
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
      expect(stderr).not.toContain('hunter2')
    }
    expect(readdirSync(folder)).toEqual([])
  })

  it('says in one line what is wrong with the path of the database, and creates nothing', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    writeFileSync(join(folder, 'file'), '')
    const before = readdirSync(folder)
    const advice = 'let this user write to it and to its folder, or name another file with --database.'
    const cannotWrite = (path: string) => [path, `Cannot write to the database ${path}: ${advice}`] as const
    for (const [database, message] of [
      cannotWrite(join(folder, 'file', 'natter.db')),
      // Root may write everywhere, but not below a file.
      ...(process.getuid?.() === 0 ? [] : [cannotWrite(join(closed, 'natter.db'))]),
      [folder, `${folder} is a folder: name a file, such as ${join(folder, 'natter.db')}.`] as const,
      [join(folder, 'typo', 'natter.db'), `There is no folder ${join(folder, 'typo')}:`] as const,
    ]) {
      const { code, stderr } = await start({ database })
      expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(`natter: ${message}`)]])
    }
    expect(readdirSync(folder)).toEqual(before)
  })

  it('does not change a file that is not a database, not a Natter database, or of a newer version', async () => {
    const [theirs, garbage] = [join(folder, 'theirs.db'), join(folder, 'garbage.db')]
    await run(['org', 'create', '--name', 'Acme', '--database', file])
    for (const [name, sql] of [
      [theirs, 'CREATE TABLE theirs (id)'],
      [file, 'PRAGMA user_version = 99'],
    ] as const) {
      const db = new DatabaseSync(name)
      db.exec(sql)
      db.close()
    }
    writeFileSync(garbage, 'no database at all, and long enough for a header'.repeat(100))
    for (const [name, message] of [
      [theirs, /no database of Natter/],
      [file, /newer version of Natter/],
      [garbage, /not a database: name another file with --database/],
    ] as const) {
      const before = readFileSync(name)
      const { code, stderr } = await start({ database: name })
      expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringMatching(message)]])
      expect(readFileSync(name).equals(before)).toBe(true)
      expect(existsSync(`${name}-wal`)).toBe(false)
    }
  })
})

describe('natter serve --dev', () => {
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
    const { firstMatch, stdout } = startNatter(['serve', '--dev', '--port', '0', '--database', file])
    await firstMatch(/natter token create/)
    const exported = stdout()
      .split('\n')
      .filter(line => line.startsWith('export '))
    const shell = startProcess('sh', ['-c', `${exported.join('\n')}\nenv | grep ^NATTER_`], { env: {} })
    await shell.ended
    const inShell = parseEnv(shell.stdout())
    const { NATTER_BASE_URL, NATTER_BOT_ID, NATTER_ORGANIZATION_TOKEN = '', ...others } = inShell
    expect([parseEnv(exported.join('\n')), others]).toEqual([inShell, {}])
    const server = { baseUrl: String(NATTER_BASE_URL), botId: String(NATTER_BOT_ID) }
    expect((await callBot(server, NATTER_ORGANIZATION_TOKEN, 'POST', '/contacts')).status).toBe(200)
  })
})

it('natter serve --dev --json prints one line, finishes running requests on SIGTERM, and loses nothing', async () => {
  const words = ['--dev', '--database', file, '--rate-limit', '0']
  const served = await serve(words)
  const headersOfPage = { origin: 'http://localhost:4711' }
  const profile = await fetch(`${served.baseUrl}/v1/bots/${served.botId}/widget`, { headers: headersOfPage })
  expect(profile.headers.get('access-control-allow-origin')).toBe(headersOfPage.origin)
  const { token } = await dataOf<{ token: string }>(callBot(served, '', 'POST', '/widget/sessions'))
  const events = readEvents(await callBot(served, token, 'GET', '/widget/events'))
  // Eight clients that send requests until they are refused.
  const acknowledged: string[] = []
  const busy = Promise.withResolvers<void>()
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let number = 0; ; number++) {
      const contact = { name: 'Ada', email: `ada-${client}-${number}@example.com` }
      const response = await callBot(served, served.organizationToken, 'PUT', '/contacts', contact).catch(() => null)
      if (response?.status !== 201) return
      acknowledged.push((await dataOf<{ id: string }>(response)).id)
      if (acknowledged.length === 50) busy.resolve()
    }
  })
  await busy.promise

  // A request of which only a half has arrived when the signal is received.
  const body = JSON.stringify({ name: 'Ada', email: 'last@example.com' })
  const { organizationToken: authorization } = served
  const headers = { authorization, 'content-type': 'application/json', 'content-length': body.length }
  const slow = request(`${served.baseUrl}/v1/bots/${served.botId}/contacts`, { method: 'PUT', headers })
  await new Promise(written => slow.write(body.slice(0, 10), written))
  // The response comes on a separate connection, so the server has read what was sent before.
  await fetch(`${served.baseUrl}/healthz`)

  const stopped = served.stop()
  expect(await events.nextOf('retry')).toBeTruthy()
  slow.end(body.slice(10))
  const [answer] = (await once(slow, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(201)
  acknowledged.push(((await json(answer)) as { data: { id: string } }).data.id)
  // 0: it exited by itself, within the 9.5 s after which it would have given up with 1.
  expect(await stopped).toBe(0)
  await Promise.all(clients)
  expect(Object.keys(JSON.parse(served.stdout()))).toEqual(['baseUrl', 'botId', 'organizationToken'])
  expect(served.log()).toContain('/v1/bots/{botId}/widget/events')
  for (const secret of [token, served.organizationToken]) expect(served.log()).not.toContain(secret.slice(2))

  // The next start finds the same bot, and the previous token has ended.
  const restarted = await serve(words)
  expect(restarted.botId).toBe(served.botId)
  expect((await callBot(restarted, served.organizationToken, 'POST', '/contacts')).status).toBe(401)
  for (const id of acknowledged)
    expect((await callBot(restarted, restarted.organizationToken, 'GET', `/contacts/${id}`)).status).toBe(200)
  expect(await restarted.stop('SIGINT')).toBe(0)
})
