import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vite'
import { crawlDocs } from '../src/build/docs/testing/crawlDocs.ts'
import { startProcess } from '../src/testProcess.ts'
import { type LocalServer, startLocalServer } from '../src/testServer.ts'
import { Chat, expect, test } from './fixtures.ts'
import { installPackage } from './installedPackage.ts'
import { root } from './processes.ts'

const run = promisify(execFile)

const sdkScript = `
import { createClient } from 'natter/sdk'
import { errorCatalogue } from 'natter/contract'
const [baseUrl, botId, organizationToken] = process.argv.slice(2)
const client = createClient({ baseUrl, botId, organizationToken })
const contact = await client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
const { token } = await client.contactTokens.create({ id: contact.id })
console.log(JSON.stringify({ id: contact.id, token, codes: Object.keys(errorCatalogue).length }))
`
const appScript = `
import { createWidget } from 'natter'
window.chat = createWidget(window.settings)
`
const consumer = `
import { createWidget } from 'natter'
import { createClient, tokenHandler } from 'natter/sdk'
const client = createClient({ baseUrl: 'https://chat.example', botId: 'b', organizationToken: 'o' })
const name: Promise<string> = client.contacts.retrieve('id').then(contact => contact.name)
// @ts-expect-error a contact has no such field, which proves that the types are found
client.contacts.retrieve('id').then(contact => contact.nickname)
// @ts-expect-error the bot's id is required
createWidget({})
export const handler: (request: Request) => Promise<Response> = tokenHandler({ client, identify: async () => ({ id: await name }) })
`

test('the packed package, installed in an empty folder, can serve, be called and be bundled', async ({ page }) => {
  test.setTimeout(180_000)
  const { folder, write, remove } = await installPackage()
  const installed = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object }
  expect(Object.keys(installed.packages).sort()).toEqual([
    '',
    'node_modules/@preact/signals',
    'node_modules/@preact/signals-core',
    'node_modules/idb-keyval',
    'node_modules/natter',
    'node_modules/preact',
  ])

  const serve = ['serve', '--dev', '--json', '--port', '0', '--database', ':memory:']
  const server = startProcess(process.execPath, [join(folder, 'node_modules/.bin/natter'), ...serve], { cwd: folder })
  let site: LocalServer | undefined
  try {
    const dev = JSON.parse(await server.firstMatch(/^\{"baseUrl".*\}$/m)) as {
      baseUrl: string
      botId: string
      organizationToken: string
    }

    const path = `${dirname(process.execPath)}:${process.env['PATH']}`
    const env = { ...process.env, PATH: path }
    expect((await run(join(folder, 'node_modules/.bin/natter'), ['--help'], { env })).stderr).toBe('')

    write('sdk.js', sdkScript)
    const args = [join(folder, 'sdk.js'), dev.baseUrl, dev.botId, dev.organizationToken]
    const output = JSON.parse((await run(process.execPath, args)).stdout) as { token: string; codes: number }
    expect(output.token).toMatch(/^c:[0-9a-f]{64}$/)
    expect(output.codes).toBeGreaterThan(10)

    // The guides and their pictures are in the package.
    const { broken, ids } = await crawlDocs(dev.baseUrl)
    expect(broken).toEqual([])
    expect(ids.size).toBeGreaterThan(30)

    write('consumer.ts', consumer)
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ]
    await run(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...options, join(folder, 'consumer.ts')],
      {
        cwd: folder,
      },
    ).catch(error => {
      throw new Error(`A consumer's types fail:\n${error.stdout}`)
    })

    write('app.js', appScript)
    write('index.html', '<!doctype html><title>App</title><script type="module" src="/app.js"></script>')
    await build({ root: folder, configFile: false, logLevel: 'error', build: { outDir: 'out' } })
    const settings = JSON.stringify({ baseUrl: dev.baseUrl, botId: dev.botId })
    site = await startLocalServer((request, response) => {
      const path = request.url === '/' ? '/index.html' : (request.url ?? '')
      if (!existsSync(join(folder, 'out', path))) return response.writeHead(404).end()
      const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
      const text = readFileSync(join(folder, 'out', path), 'utf8')
      response.setHeader('content-type', type)
      response.end(
        path === '/index.html' ? text.replace('<title>', `<script>settings = ${settings}</script><title>`) : text,
      )
    })
    await page.goto(site.url)
    const chat = new Chat(page)
    await chat.open()
    await chat.send('Hello there')
    await expect(chat.panel).toContainText('Sent')
    // Stderr contains only log lines of level info: no warnings from Node and no errors.
    for (const line of server.stderr().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 30 })
  } finally {
    await site?.close()
    await server.stop()
    remove()
  }
})
