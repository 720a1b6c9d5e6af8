import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/testPort.ts'
import type { TestProcess } from '../../src/testProcess.ts'
import { startProgram } from '../processes.ts'

const cli = 'src/platform/cli.ts'

/** A database with an organization and a bot, created with the operator's commands, and one or more nodes that serve it. */
export interface Deployment {
  folder: string
  database: string
  port: number
  botId: string
  /** Base URL of the bot's API on the first node. */
  api: string
  /** The same on each node. */
  apis: string[]
  organizationToken: string
  eventsSecret: string
  /** Starts `natter serve` on the node's fixed port. Resolves when it accepts requests. */
  serve(environment?: Record<string, string>, node?: number): Promise<TestProcess>
  /** Calls a path of the bot's API on a random node, with the organization token unless `token` is given. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  /** Everything its servers have printed. */
  output(): string
  /** Stops the servers and removes their files. */
  remove(): Promise<void>
}
export interface CallOptions {
  json?: unknown
  token?: string
  idempotencyKey?: string
  signal?: AbortSignal
  /** One of `apis`; default: any. */
  api?: string
}

export interface DeploymentOptions {
  /** Folder of the database. Default: a temporary one. */
  folder?: string
  /** Questions and answers of the bot. */
  answers?: Record<string, string>
  eventsUrl?: string
  /** Origin that may embed the bot. Default: none. */
  origin?: string
  /** URL of a PostgreSQL database. Default: a SQLite file. */
  postgres?: string
  /** How many nodes can be served. Default: 1. */
  nodes?: number
}

/** Creates a deployment with the commands that an operator would use. */
export async function createDeployment({ answers = {}, ...options }: DeploymentOptions = {}): Promise<Deployment> {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'natter-faults-'))
  const servers: TestProcess[] = []
  const database = options.postgres ?? join(folder, 'natter.db')
  const content = join(folder, 'content')
  mkdirSync(content)
  const sections = Object.entries(answers).map(([question, answer]) => `## ${question}\n\n${answer}\n`)
  writeFileSync(join(content, 'answers.md'), `# Questions\n\n${sections.join('\n')}`)

  const runCommand = async (...args: string[]): Promise<Record<string, string>> => {
    const program = startProgram(cli, [...args, '--json', '--database', database])
    const line = await program.firstMatch(/^\{.*\}$/m)
    await program.ended
    return JSON.parse(line) as Record<string, string>
  }
  const { id: organization = '' } = await runCommand('org', 'create', '--name', 'Acme')
  const events = options.eventsUrl ? ['--events-url', options.eventsUrl] : []
  const settings = [...events, ...(options.origin ? ['--origin', options.origin] : [])]
  const bot = await runCommand('bot', 'create', '--organization', organization, '--name', 'Acme', ...settings)
  const { token = '' } = await runCommand('token', 'create', '--organization', organization)
  const ports = await Promise.all(Array.from({ length: options.nodes ?? 1 }, freePort))
  const { id: botId = '', eventsSecret = '' } = bot
  const apis = ports.map(port => `http://127.0.0.1:${port}/v1/bots/${botId}`)
  const [port = 0] = ports
  const [api = ''] = apis

  return {
    ...{ folder, database, port, botId, api, apis, organizationToken: token, eventsSecret },
    async serve(environment = {}, node = 0) {
      const args = ['serve', '--json', '--port', String(ports[node]), '--content', content]
      const settings = { NATTER_RATE_LIMIT: '0', NATTER_DRAIN: '0', NATTER_DATABASE: database }
      const program = startProgram(cli, args, { ...settings, ...environment })
      servers.push(program)
      await program.firstMatch(/^\{"baseUrl".*\}$/m)
      return program
    },
    call: (
      method,
      path,
      { json, idempotencyKey, signal, token: bearer = token, api = apis[randomInt(apis.length)] } = {},
    ) =>
      fetch(`${api}${path}`, {
        method,
        headers: {
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
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
