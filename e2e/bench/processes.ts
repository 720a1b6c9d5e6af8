import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Load, LoadResult } from './load.ts'
import type { Heard, ReadersCall } from './readers.ts'

export const root: string = resolve(import.meta.dirname, '../..')
/** Where the bench keeps its databases, logs and figures. */
export const folder: string = join(root, 'out/bench')
mkdirSync(folder, { recursive: true })

/** A server under test, in a process of its own. */
export interface Server {
  port: number
  pid: number
  stop(): Promise<void>
}

/** Requests are counted as ever, and there may be any number: else the limit would be what is measured. */
const environment = { ...process.env, NATTER_RATE_LIMIT: '1000000000' }

/** Runs the command `natter`; returns what it prints. */
export function natter(...words: string[]): string {
  return execFileSync(process.execPath, [join(root, 'src/platform/cli.ts'), ...words], { env: environment })
    .toString()
    .trim()
}

/** Makes an organization with a bot and a token, in a database that is made as well. */
export function createTenant(database: string): { organizationId: string; botId: string; token: string } {
  const organizationId = natter('org', 'create', '--database', database, '--name', 'Bench')
  const botId = createBot(database, organizationId)
  return {
    organizationId,
    botId,
    token: natter('token', 'create', '--database', database, '--organization', organizationId),
  }
}

export function createBot(database: string, organizationId: string): string {
  return natter('bot', 'create', '--database', database, '--organization', organizationId, '--name', 'Bench')
}

/** Starts `natter serve` on a database as anyone would, its log in a file. */
export async function startNatter(
  database: string,
  { logFile = `${database}.log`, variables = {} }: { logFile?: string; variables?: Record<string, string> } = {},
): Promise<Server> {
  const log = openSync(logFile, 'w')
  const words = ['serve', '--json', '--port', '0', '--database', database]
  const child = watched(
    spawn(process.execPath, [join(root, 'src/platform/cli.ts'), ...words], {
      cwd: folder,
      env: { ...environment, ...variables },
      stdio: ['ignore', 'pipe', log],
    }),
  )
  closeSync(log)
  let printed = ''
  const { stdout } = child
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  while (!printed.includes('\n')) {
    if (child.exitCode !== null) throw new Error(`natter has ended: ${readFileSync(logFile, 'utf8')}`)
    await Promise.race([once(child, 'close'), stdout && once(stdout, 'data')])
  }
  const { baseUrl } = JSON.parse(printed) as { baseUrl: string }
  return { port: Number(new URL(baseUrl).port), pid: child.pid ?? 0, stop: () => end(child) }
}

/** Starts a server to compare with on a database, with its log in a file. */
export async function startOther(file: 'bare.ts' | 'hono.ts', database: string): Promise<Server> {
  const log = openSync(`${database}.log`, 'w')
  const stdio = ['ignore', 'inherit', log, 'ipc'] as const
  const child = watched(fork(join(import.meta.dirname, file), [database], { env: environment, stdio: [...stdio] }))
  closeSync(log)
  const [port] = (await once(child, 'message')) as [number]
  return { port, pid: child.pid ?? 0, stop: () => end(child) }
}

/** A client that puts load on servers, one run after the other. */
export interface Client {
  run(load: Load): Promise<LoadResult>
  stop(): Promise<void>
}

export function startClient(): Client {
  const { ask, stop } = startPartner('load.ts')
  return { run: load => ask(load) as Promise<LoadResult>, stop }
}

/** Readers of many streams. */
export interface Readers {
  open(port: number, requests: string[]): Promise<void>
  listen(word: string): Promise<void>
  heard(): Promise<Heard>
  close(): Promise<void>
  stop(): Promise<void>
}

export function startReaders(): Readers {
  const { ask, stop } = startPartner('readers.ts')
  const call = (what: ReadersCall) => ask(what)
  return {
    open: async (port, requests) => void (await call({ call: 'open', port, requests })),
    listen: async word => void (await call({ call: 'listen', word })),
    heard: async () => (await call({ call: 'heard' })) as Heard,
    close: async () => void (await call({ call: 'close' })),
    stop,
  }
}

/** A process of the bench's own that answers one question after the other. */
function startPartner(file: string): { ask(question: object): Promise<unknown>; stop(): Promise<void> } {
  const child = watched(fork(join(import.meta.dirname, file), { serialization: 'advanced' }))
  child.setMaxListeners(0)
  return {
    ask(question) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const onExit = () => reject(new Error(`${file} has ended.`))
      child.once('exit', onExit)
      child.once('message', answer => {
        child.off('exit', onExit)
        resolve(answer)
      })
      child.send(question)
      return promise
    },
    stop: () => end(child),
  }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Nothing that was started outlives the bench. */
function watched(child: ChildProcess): ChildProcess {
  running.add(child)
  return child.once('exit', () => running.delete(child))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill('SIGTERM')
  await closed
}

/** What the system says of a process: resident bytes, and seconds of CPU so far, all threads together. */
export function usageOf({ pid }: { pid: number }): { resident: number; cpuSeconds: number } {
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { resident: Number(resident) * 1024, cpuSeconds: cpuSecondsOf(pid).own }
}

/** Milliseconds of CPU of a process and of all that it has started, whatever of it has ended. */
export function familyCpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  const { ended } = cpuSecondsOf(pid)
  try {
    // By the nanosecond: what is measured for seconds only may be few ticks.
    const own = tasks.map(
      task => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    )
    return [...own, ...children.map(child => familyCpuMs(Number(child)))].reduce((sum, ms) => sum + ms, ended * 1000)
  } catch (error) {
    if (!existsSync(`/proc/${pid}`)) throw error
    // One of them has come to its end since.
    return familyCpuMs(pid)
  }
}

/** Seconds of CPU of a process itself, and of those it has started that have ended. */
export function cpuSecondsOf(pid: number | 'self'): { own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? []
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11)
  // Ticks of 10 ms, whatever the kernel's own.
  return { own: (user + system) / 100, ended: (endedUser + endedSystem) / 100 }
}
