import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Express } from 'express'
import type {} from 'express-session'
import { codeFile } from '../../guides.ts'
import { isLanguage, type Language, startLanguage } from './languages.ts'

/** A site made of the guides' files. */
export interface RecipeSite {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/** What a site knows of the browser whose cookie it gets. */
export interface SiteSession {
  user?: { email: string; name: string; emailVerified?: boolean } | null
}

const root = resolve(import.meta.dirname, '../../..')
/** The sources of the package's entries, by the names under which the recipes import them. */
const entries = { 'natter/sdk': join(root, 'src/sdk/index.ts'), 'natter/platform': join(root, 'src/platform/index.ts') }
const guide = 'src/sdk/README.md'
const nextFiles = ['app/chat-token/route.ts', 'app/chat-events/route.ts']
const files = [
  'chatToken.ts',
  'webhook.ts',
  'hono.ts',
  'express.ts',
  'site.ts',
  'fastify.ts',
  ...nextFiles,
  'chat.ts',
  'byHand.ts',
  'calls.ts',
]

/** A site's own file, for which every recipe has a place. */
const sessionFile = `
import type { Session } from './chat.ts'
export interface User { email: string; name: string; emailVerified: boolean }
export const sessions = new Map<string, Session>()
export const currentSession = ({ headers }: Request): Session =>
  sessions.get(/session=(\\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '') ?? {}
export const currentUser = (request: Request) => currentSession(request).user as User | null | undefined`

/**
 * Writes the files of the guides into a folder, as they stand there. The package's entries become the addresses of their
 * sources, because nobody has built or installed it; Next's imports get the ending that Next adds.
 */
export function writeRecipes(folder: string): void {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const name of files) {
    const code = withSource(codeFile(guide, name))
    write(name, code.replace(/(from '\.\.[\w./]*\/\w+)'/g, "$1.ts'"))
  }
  write('session.ts', sessionFile)
  write('server.ts', codeFile('README.md', 'server.ts'))
  for (const name of ['answer.ts', 'platform.ts']) write(name, withSource(codeFile('src/platform/README.md', name)))
  write('package.json', '{ "type": "module" }')
}

const withSource = (code: string): string =>
  Object.entries(entries).reduce(
    (text, [name, file]) => text.replaceAll(`'${name}'`, `'${pathToFileURL(file).href}'`),
    code,
  )

/** What TypeScript finds wrong in the recipes, with strict settings. */
export async function typeErrors(folder: string): Promise<string> {
  const compilerOptions = {
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: ['node'] },
    ...{ module: 'preserve', moduleResolution: 'bundler', allowImportingTsExtensions: true, noEmit: true },
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      paths: Object.fromEntries(Object.values(entries).map(file => [pathToFileURL(file).href, [file]])),
    },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(error => error)
  return stdout
}

/** Loads a module of the recipes. They read the environment while they are loaded. */
export const loadRecipe = (folder: string, name: string) =>
  import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)

export const sessionsOf = async (folder: string): Promise<Map<string, SiteSession>> =>
  (await loadRecipe(folder, 'session.ts')).sessions

/** Starts the recipe of a framework. */
export async function startRecipe(folder: string, framework: string): Promise<RecipeSite> {
  if (isLanguage(framework)) return startOther(folder, framework)
  if (framework === 'Next.js') {
    const routes = await Promise.all(nextFiles.map(name => loadRecipe(folder, name)))
    const find = ({ url }: Request) => routes[new URL(url).pathname === '/chat-token' ? 0 : 1]
    return {
      fetch: async request => find(request)[request.method]?.(request) ?? new Response(null, { status: 405 }),
      close: async () => {},
    }
  }
  const { app } = await loadRecipe(folder, `${framework.toLowerCase()}.ts`)
  if (framework === 'Hono') return { fetch: async request => app.fetch(request), close: async () => {} }
  // Fastify has its server from the start, Express makes one when it listens.
  const listening: Server | string = await app.listen(framework === 'Fastify' ? { port: 0 } : 0)
  const server = typeof listening === 'string' ? (app.server as Server) : listening
  if (!server.listening) await once(server, 'listening')
  const send = over((server.address() as AddressInfo).port)
  return {
    fetch: framework === 'Express' ? await withExpressSession(folder, app, send) : send,
    close: async () => {
      server.close()
    },
  }
}

/** The user of the test's session gets a session of express-session, by a route that is added here. */
async function withExpressSession(
  folder: string,
  app: Express,
  send: RecipeSite['fetch'],
): Promise<RecipeSite['fetch']> {
  const { currentUser } = await loadRecipe(folder, 'session.ts')
  app.post('/test-session', (req, res) => {
    Object.assign(req.session, { user: JSON.parse(req.get('x-test-user') ?? '') })
    res.sendStatus(204)
  })
  return async request => {
    const user = currentUser(request)
    if (user) {
      const headers = { 'x-test-user': JSON.stringify(user) }
      const answer = await send(new Request('https://shop.example/test-session', { method: 'POST', headers }))
      request.headers.set('cookie', answer.headers.getSetCookie()[0]?.split(';')[0] ?? '')
    }
    return send(request)
  }
}

/** Sends a request to a server of this machine, whatever host it names. */
const over = (port: number) => async (request: Request) => {
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  return fetch(`http://127.0.0.1:${port}${new URL(request.url).pathname}`, { method, headers, body })
}

/** The user of the test's session goes to the program in a header. */
async function startOther(folder: string, language: Language): Promise<RecipeSite> {
  const { port, close } = await startLanguage(folder, language)
  const { currentUser } = await loadRecipe(folder, 'session.ts')
  const send = over(port)
  return {
    fetch(request) {
      request.headers.set('x-test-user', JSON.stringify(currentUser(request) ?? null))
      return send(request)
    },
    close,
  }
}
