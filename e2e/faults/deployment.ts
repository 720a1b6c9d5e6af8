import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/testPort.ts'
import { type Program, start } from '../processes.ts'

const cli = 'src/platform/cli.ts'

/** A database with an organization and a bot, as an operator makes it, and the means to serve it. */
export interface Deployment {
  folder: string
  database: string
  port: number
  botId: string
  /** Address of everything about the bot. */
  api: string
  /** The same on each of its nodes. */
  apis: string[]
  organizationToken: string
  eventsSecret: string
  /** Starts `natter serve`, each node on the same port each time; resolves when it accepts requests. */
  serve(environment?: Record<string, string>, node?: number): Promise<Program>
  /** Calls, on any of the nodes, a path below the bot's, as its organization unless `token` says otherwise. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  /** All that its servers have printed. */
  output(): string
  /** Ends its servers and removes what they kept in files. */
  remove(): Promise<void>
}
export interface CallOptions {
  json?: unknown
  token?: string
  key?: string
  signal?: AbortSignal
  /** One of `apis`; default: any. */
  api?: string
}

export interface DeploymentOptions {
  /** Where the database goes; default: a folder of its own. */
  folder?: string
  /** Questions and answers of the bot. */
  answers?: Record<string, string>
  eventsUrl?: string
  /** A site that may embed the bot; default: none. */
  origin?: string
  /** Address of a PostgreSQL's database; default: a file. */
  postgres?: string
  /** How many nodes may be served, default 1. */
  nodes?: number
}

/** Makes a deployment by the commands that its operator would use. */
export async function createDeployment({ answers = {}, ...options }: DeploymentOptions = {}): Promise<Deployment> {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'natter-faults-'))
  const servers: Program[] = []
  const database = options.postgres ?? join(folder, 'natter.db')
  const content = join(folder, 'content')
  mkdirSync(content)
  const sections = Object.entries(answers).map(([question, answer]) => `## ${question}\n\n${answer}\n`)
  writeFileSync(join(content, 'answers.md'), `# Questions\n\n${sections.join('\n')}`)

  const administer = async (...words: string[]): Promise<Record<string, string>> => {
    const program = start(cli, [...words, '--json', '--database', database])
    const line = await program.firstMatch(/^\{.*\}$/m)
    await program.ended
    return JSON.parse(line) as Record<string, string>
  }
  const { id: organization = '' } = await administer('org', 'create', '--name', 'Acme')
  const events = options.eventsUrl ? ['--events-url', options.eventsUrl] : []
  const settings = [...events, ...(options.origin ? ['--origin', options.origin] : [])]
  const bot = await administer('bot', 'create', '--organization', organization, '--name', 'Acme', ...settings)
  const { token = '' } = await administer('token', 'create', '--organization', organization)
  const ports = await Promise.all(Array.from({ length: options.nodes ?? 1 }, freePort))
  const { id: botId = '', eventsSecret = '' } = bot
  const apis = ports.map(port => `http://127.0.0.1:${port}/v1/bots/${botId}`)
  const [port = 0] = ports
  const [api = ''] = apis

  return {
    ...{ folder, database, port, botId, api, apis, organizationToken: token, eventsSecret },
    async serve(environment = {}, node = 0) {
      const words = ['serve', '--json', '--port', String(ports[node]), '--content', content]
      const settings = { NATTER_RATE_LIMIT: '0', NATTER_DRAIN: '0', NATTER_DATABASE: database }
      const program = start(cli, words, { ...settings, ...environment })
      servers.push(program)
      await program.firstMatch(/^\{"baseUrl".*\}$/m)
      return program
    },
    call: (method, path, { json, key, signal, token: bearer = token, api = apis[randomInt(apis.length)] } = {}) =>
      fetch(`${api}${path}`, {
        method,
        headers: {
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(signal && { signal }),
      }),
    output: () => servers.map(server => server.output()).join('\n'),
    async remove() {
      await Promise.all(servers.map(server => server.stop('SIGKILL')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
