import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startProcess } from '../testProcess.ts'
import { startPlatform } from './start.ts'
import { callBot, natter, type RunningServer, run, serve, startNatter } from './testing/cliProcess.ts'
import { createTemporaryFolder } from './testing/temporaryFolder.ts'
import { startTestServer } from './testing/testServer.ts'
import { dataOf, readEvents } from './testing/testTenants.ts'

const folder = createTemporaryFolder()
const database = join(folder, 'natter.db')
const file = ['--database', database]

type ServerAddress = Pick<RunningServer, 'baseUrl' | 'botId'>
const search = async (server: ServerAddress, token: string) =>
  (await callBot(server, token, 'POST', '/contacts')).status
type Made = Record<'id' | 'token', string>
const message = (text: string) => ({ id: crypto.randomUUID(), text })

/** A visitor's message, for the bot's responder. */
async function sendAsVisitor(server: ServerAddress): Promise<void> {
  const { token } = await dataOf<Made>(callBot(server, '', 'POST', '/widget/sessions'))
  await callBot(server, token, 'POST', '/widget/messages', message('Are you there?'))
}

/** A signed-in contact with an open stream. */
async function signIn(server: RunningServer) {
  const { organizationToken } = server
  const email = `${crypto.randomUUID()}@example.com`
  const { id } = await dataOf<Made>(callBot(server, organizationToken, 'PUT', '/contacts', { name: 'Ada', email }))
  const { token } = await dataOf<Made>(callBot(server, organizationToken, 'PUT', '/auth/contacts', { id }))
  const events = readEvents(await callBot(server, token, 'GET', '/widget/events'))
  await events.next()
  const status = async (at: ServerAddress = server) => (await callBot(at, token, 'GET', '/widget/session')).status
  return { id, email, events, status }
}

describe('natter serve', () => {
  it('applies its settings, and warns of unknown variables in its log', async () => {
    const webhook = await startTestServer(response => response.writeHead(204).end())
    const settings = ['--rate-limit=5', '--agent-pause=0', '--trusted-proxies=127.0.0.1', '--log-level=warn']
    const variables = { NATTER_METRICS: 'off', NATTER_EGRESS: 'public', NATTER_DATABSE: 'x' }
    const running = await serve(['--dev', ...settings, ...file], variables)
    const ask = (method: string, path: string, json?: object) =>
      callBot(running, running.organizationToken, method, path, json)
    expect((await fetch(`${running.baseUrl}/metrics`)).status).toBe(404)
    await fetch(`${running.baseUrl}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    const { id } = await dataOf<Made>(ask('PUT', '/contacts', { name: 'Ada', email: 'ada@example.com' }))
    await ask('POST', `/contacts/${id}/messages`, message('I take over'))
    expect(await dataOf(ask('GET', '/conversations'))).toMatchObject([{ pausedUntil: null }])
    const statuses = [await ask('POST', '/contacts'), await ask('POST', '/contacts'), await ask('POST', '/contacts')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
    // Neither requests nor a warning about an unknown proxy are logged.
    expect(running.log().split('\n')).toEqual([expect.stringContaining('NATTER_DATABASE'), ''])
    expect(JSON.parse(running.log())).toMatchObject({ level: 40 })

    const args = ['--responder', 'webhook', '--webhook-url', webhook.url]
    await natter('bot', 'update', running.botId, ...args, ...file)
    await sendAsVisitor(running)
    await expect.poll(running.log).toContain('The address is not public')
    expect(webhook.requests).toEqual([])
    await running.stop()
    await natter('bot', 'update', running.botId, '--responder', 'faq', ...file)
  })

  it('passes the key from the environment to the model and shows it nowhere', async () => {
    const model = await startTestServer(response => response.writeHead(400).end())
    const environment = { NATTER_OPENAI_API_KEY: 'sk-local-test', NATTER_OPENAI_BASE_URL: model.url }
    const running = await serve(['--dev', ...file], environment)
    const args = ['--responder', 'openai', '--openai-base-url', model.url, '--openai-model', 'small']
    await natter('bot', 'update', running.botId, ...args, ...file)
    await sendAsVisitor(running)
    expect((await model.received(1)).headers.get('authorization')).toBe('Bearer sk-local-test')
    await running.stop()
    expect(running.log()).not.toContain('sk-local')
    await natter('bot', 'update', running.botId, '--responder', 'faq', ...file)
  })
})

describe('natter commands beside a running server', () => {
  it('can set it up without --dev, sign contacts out and delete them, which ends their streams and tokens, and revoke a token', async () => {
    const file = ['--database', join(folder, 'real.db')]
    const organization = await natter('org', 'create', '--name', 'Acme', ...file)
    const args = ['--organization', organization, '--name', 'Shop', '--origin', 'https://shop.example']
    const botId = await natter('bot', 'create', ...args, ...file)
    const token = await natter('token', 'create', '--organization', organization, ...file)

    const running = { ...(await serve(file)), botId, organizationToken: token }
    expect(JSON.parse(running.stdout())).toEqual({ baseUrl: running.baseUrl })
    const [ada, bob, eve] = [await signIn(running), await signIn(running), await signIn(running)]
    await natter('contact', 'sign-out', ada.id, '--bot', botId, ...file)
    expect((await ada.events.nextOf('session.ended')).data).toEqual({ reason: 'revoked' })
    await natter('contact', 'erase', '--yes', '--email', bob.email, '--bot', botId, ...file)
    expect((await bob.events.nextOf('session.ended')).data).toEqual({ reason: 'contact_deleted' })
    expect([await ada.status(), await bob.status(), await eve.status()]).toEqual([401, 401, 200])
    expect(await search(running, token)).toBe(200)
    await natter('token', 'revoke', token.slice(0, 10), ...file)
    expect(await search(running, token)).toBe(401)
    const widget = (origin: string) => fetch(`${running.baseUrl}/v1/bots/${botId}/widget`, { headers: { origin } })
    expect((await widget('http://localhost:4711')).status).toBe(403)
    await natter('bot', 'update', botId, '--origin', 'http://localhost:4711', ...file)
    expect((await widget('http://localhost:4711')).status).toBe(200)
    expect(await running.stop()).toBe(0)
  })

  it('can back up while it runs, and restore only after it has stopped', async () => {
    const backup = join(folder, 'backup.db')
    const running = await serve(['--dev', ...file])
    const { botId, organizationToken } = running
    const ada = await signIn(running)
    const [, organization = ''] = (await natter('bot', 'list', ...file)).split('\t')
    const token = await natter('token', 'create', '--organization', organization, ...file)
    await natter('backup', backup, ...file)
    expect((await run(['backup', backup, ...file])).stderr).toMatch(/exists already/)
    await callBot(running, organizationToken, 'DELETE', `/contacts/${ada.id}`)
    const refused = { code: 1, stderr: expect.stringMatching(/Stop it first/) }
    expect(await run(['restore', backup, ...file])).toMatchObject(refused)
    await running.stop()

    const restored = async (...args: string[]) => {
      await natter('restore', backup, ...args, ...file)
      await rm(`${database}.before-restore`)
      const { baseUrl, close } = await startPlatform({ database, port: 0 })
      const restarted = { baseUrl, botId }
      // The token that --dev printed ends with the first start without --dev.
      expect(await search(restarted, organizationToken)).toBe(401)
      const statuses = [await search(restarted, token), await ada.status(restarted)]
      await close()
      return statuses
    }
    expect(await restored('--keep-tokens')).toEqual([200, 200])
    expect(await restored()).toEqual([401, 401])
    expect(await natter('contact', 'export', ada.id, '--bot', botId, ...file)).toContain(ada.email)
  })
})

describe('natter', () => {
  it('reports an error in one line, and exits with 2 for a usage error', async () => {
    const mistakes = [
      [['bot', 'create', '--organization', 'nobody', '--name', 'x', ...file], {}, /no organization nobody/],
      [['serve', '--port', 'x'], {}, /--port \(NATTER_PORT\)/],
      [['serve'], { NATTER_METRICS: 'some' }, /--metrics \(NATTER_METRICS\)/],
    ] as const
    for (const [args, variables, message] of mistakes) {
      const { code, stderr } = await run([...args], variables)
      expect(code).toBe(2)
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('    at ')
    }
    const inProcess = startNatter(['org', 'list'], { NATTER_DATABASE: ':memory:' })
    expect(await inProcess.ended).toBe(2)
    expect(inProcess.stderr()).toMatch(/^natter: .*in memory.*\n$/)
  })

  it('prints no ExperimentalWarning, also where `env` has no -S', async () => {
    const cli = join(import.meta.dirname, 'cli.ts')
    expect(await readFile(cli, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    // Node 22 warns when `node:sqlite` is loaded; each other warning is printed.
    const hook = `
      import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (name === 'node:sqlite') for (const type of ['ExperimentalWarning', 'OtherWarning']) process.emitWarning('SQLite', type)
        return next(name, context)
      } })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`
    const help = startNatter(['--help'], { NODE_OPTIONS })
    await help.ended
    expect(help.stdout()).toContain('natter serve')
    expect(help.stderr()).toContain('OtherWarning: SQLite')
    expect(help.stderr()).not.toContain('ExperimentalWarning')
  })

  it('ignores a closed output pipe', async () => {
    const args = [process.execPath, join(import.meta.dirname, 'cli.ts'), '--help']
    const piped = startProcess('sh', ['-c', '"$0" "$@" | true', ...args])
    await piped.ended
    expect(piped.stderr()).toBe('')
  })

  it('warns of unknown variables on stderr', async () => {
    const { stdout, stderr } = await run(['org', 'list', ...file, '--json'], { NATTER_DATABSE: 'x' })
    expect(stdout).not.toContain('NATTER_')
    expect(stderr).toBe('natter: NATTER_DATABSE is not a variable of Natter: did you mean NATTER_DATABASE?\n')
  })
})
