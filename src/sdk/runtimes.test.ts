import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, Script } from 'node:vm'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPlatform } from '../platform/index.ts'
import { findRuntime, runtimes } from './testing/runtimes.ts'

/** What the runtimes have in common, and nothing else of the Web. */
const webGlobals = [
  ...['AbortController', 'AbortSignal', 'DOMException', 'Headers', 'Request', 'Response', 'fetch', 'ReadableStream'],
  ...['TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'atob', 'btoa', 'crypto', 'setTimeout', 'clearTimeout'],
] as const

/** Uses every part of the SDK against a real platform; the text of this function runs in each runtime. */
async function exercise(sdk: typeof import('./index.ts'), options: import('./index.ts').ClientOptions) {
  const client = sdk.createClient(options)
  const ada = await client.contacts.create({ name: 'Ada', email: `${crypto.randomUUID()}@example.com` })
  const results = await client.contacts.upsert([{ email: ada.email, phone: '22' }])
  const phones: string[] = []
  for await (const { phone } of client.contacts.search({ query: ada.email })) phones.push(phone)
  const handler = sdk.tokenHandler({ client, identify: () => ({ id: ada.id }) })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = JSON.stringify({ contact: null, token: 'none' })
  const answer = await handler(new Request('https://shop.example/', { method: 'POST', headers, body }))
  const { data } = (await answer.json()) as { data: { token: string } }
  await client.contactTokens.revoke(data.token)
  const sent = await client.conversations.messages.send({ contactId: ada.id }, { text: 'Hello' })
  const read = await client.conversations.messages.list({ contactId: ada.id })
  const codeOf = (error: unknown) => (sdk.isApiError(error) ? error.code : String(error))
  const taken = await client.contacts.create(ada).catch(codeOf)
  const signal = AbortSignal.abort(new Error('enough'))
  const aborted = await client.contacts.search({}, { signal }).catch((error: Error) => error.message)
  const gone = sdk.createClient({ ...options, baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
  const unreachable = await gone.contacts.search().catch(sdk.isNetworkError)
  const late = sdk.createClient({ ...options, maxRetries: 0, timeoutMs: 20, fetch: () => new Promise(() => {}) })
  const timedOut = await late.contacts.search().catch(sdk.isTimeoutError)
  const hook = { secret: `whsec_${btoa('0'.repeat(24))}`, headers: { 'webhook-id': '1' }, body: '{}' }
  const forged = await sdk.verifyWebhook(hook).catch(sdk.isWebhookSignatureError)
  await client.contacts.delete(ada.id)
  const ids = results.every(({ id }) => id === ada.id) && read.every(({ id }) => id === sent.id)
  return { ids, phones, token: data.token.length, read: read.length, taken, aborted, unreachable, timedOut, forged }
}

const expected = {
  ...{ ids: true, phones: ['22'], token: 66, read: 1, taken: 'email_taken' },
  ...{ aborted: 'enough', unreachable: true, timedOut: true, forged: true },
}

let folder: string
let code: string
let platform: Awaited<ReturnType<typeof startPlatform>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'natter-runtimes-'))
  platform = await startPlatform({ database: ':memory:', port: 0, dev: true })
  // The build for a browser would fail here for an import of Node's own.
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, 'index.ts'), formats: ['iife'], name: 'sdk' },
    },
  })
  const [{ output }] = [result].flat() as { output: { code: string }[] }[] as [{ output: { code: string }[] }]
  code = output[0]?.code ?? ''
})
afterAll(async () => {
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

const optionsOf = () => {
  const { baseUrl, botId, organizationToken } = platform
  return { baseUrl, botId, organizationToken }
}
const program = () => `${code}\n;(${exercise})(sdk, ${JSON.stringify(optionsOf())})`

describe('natter/sdk', () => {
  it('imports nothing of Node, and not what writes the OpenAPI document, as it is and as it is built', async () => {
    expect(code).not.toMatch(/\bnode:|\brequire\(|__vite-browser-external/)
    const files = [join(import.meta.dirname, '../../dist/sdk.js')]
    for (const file of files) {
      const text = await readFile(file, 'utf8')
      expect(text, file).not.toContain('openapi')
      for (const [, specifier = ''] of text.matchAll(/^import [^'"]*['"]([^'"]+)/gm)) {
        expect(specifier, file).toMatch(/^\.\.?\//)
        files.push(join(dirname(file), specifier))
      }
    }
  })

  it('runs where there is nothing but the Web: an edge runtime', async () => {
    const globals = Object.fromEntries(webGlobals.map(name => [name, globalThis[name]]))
    const context = createContext(globals, { codeGeneration: { strings: false, wasm: false } })
    expect(new Script('typeof process + typeof Buffer + typeof global').runInContext(context)).toBe(
      'undefined'.repeat(3),
    )
    expect(await new Script(program()).runInContext(context)).toEqual(expected)
  })

  it.for([
    ['Node', process.execPath, []],
    ['Bun', findRuntime(runtimes.Bun), ['run']],
    ['Deno', findRuntime(runtimes.Deno), ['run', '--allow-net']],
  ] as const)('runs on %s', async ([name, command, words], { skip }) => {
    if (!command) {
      const why = `natter/sdk has not been run on ${name}, which is neither here nor can be fetched`
      // Reporters tell of skipped tests in a number only.
      console.warn(why)
      return skip(why)
    }
    const file = join(folder, `on${name}.mjs`)
    await writeFile(file, `${program()}.then(result => console.log(JSON.stringify(result)))`)
    const { stdout } = await promisify(execFile)(command, [...words, file])
    expect(JSON.parse(stdout)).toEqual(expected)
  })
})
