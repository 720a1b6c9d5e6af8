import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Load, LoadResult } from './loadClient.ts'
import type { StreamClientsCall, StreamCounts } from './streamClients.ts'

export const root: string = resolve(import.meta.dirname, '../..')
/** Where the benchmarks keep their databases, logs and results. */
export const folder: string = join(root, 'out/bench')
mkdirSync(folder, { recursive: true })

/** A server under test, in a separate process. */
export interface Server {
  port: number
  pid: number
  stop(): Promise<void>
}

/** Limits that are never reached: they are still checked, but do not limit what is measured. */
const environment = {
  ...process.env,
  NATTER_RATE_LIMIT: '1000000000',
  NATTER_SESSIONS_PER_MINUTE: '1000000',
  // All clients share one address.
  NATTER_ADDRESS_SESSIONS_PER_MINUTE: '1000000',
  NATTER_STREAMS: '1000000',
  NATTER_ADDRESS_STREAMS: '1000000',
}

/** Runs a command of `natter` and returns its output. If it fails, the error has what it says. */
export function natter(...args: string[]): string {
  return execFileSync(process.execPath, [join(root, 'src/platform/cli.ts'), ...args], {
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()
}

/** Creates an organization with a bot and a token, and the database if it does not exist. */
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

/** Starts `natter serve` on a database, with its log in a file. */
export async function startNatter(
  database: string,
  { logFile = `${database}.log`, variables = {} }: { logFile?: string; variables?: Record<string, string> } = {},
): Promise<Server> {
  const log = openSync(logFile, 'w')
  const args = ['serve', '--json', '--port', '0', '--database', database]
  const child = killOnExit(
    spawn(process.execPath, [join(root, 'src/platform/cli.ts'), ...args], {
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
    if (child.exitCode !== null) throw new Error(`natter exited: ${readFileSync(logFile, 'utf8')}`)
    await Promise.race([once(child, 'close'), stdout && once(stdout, 'data')])
  }
  const { baseUrl } = JSON.parse(printed) as { baseUrl: string }
  return { port: Number(new URL(baseUrl).port), pid: child.pid ?? 0, stop: () => end(child) }
}

/** Starts a server to compare with, with its log in a file. */
export async function startComparisonServer(
  file: 'bareServer.ts' | 'honoServer.ts',
  database: string,
): Promise<Server> {
  const log = openSync(`${database}.log`, 'w')
  const stdio = ['ignore', 'inherit', log, 'ipc'] as const
  const child = killOnExit(fork(join(import.meta.dirname, file), [database], { env: environment, stdio: [...stdio] }))
  closeSync(log)
  const [port] = (await once(child, 'message')) as [number]
  return { port, pid: child.pid ?? 0, stop: () => end(child) }
}

/** A process that sends load to servers, one run at a time. */
export interface Client {
  run(load: Load): Promise<LoadResult>
  stop(): Promise<void>
}

export function startClient(): Client {
  const { ask, stop } = startWorker('loadClient.ts')
  return { run: load => ask(load) as Promise<LoadResult>, stop }
}

/** A process that holds many event streams open. */
export interface StreamClients {
  open(port: number, requests: string[]): Promise<void>
  /** Starts to watch all streams for this text. */
  watchFor(text: string): Promise<void>
  counts(): Promise<StreamCounts>
  close(): Promise<void>
  stop(): Promise<void>
}

export function startStreamClients(): StreamClients {
  const { ask, stop } = startWorker('streamClients.ts')
  const call = (request: StreamClientsCall) => ask(request)
  return {
    open: async (port, requests) => void (await call({ call: 'open', port, requests })),
    watchFor: async text => void (await call({ call: 'watchFor', text })),
    counts: async () => (await call({ call: 'counts' })) as StreamCounts,
    close: async () => void (await call({ call: 'close' })),
    stop,
  }
}

/** Starts a child process that answers one request at a time. */
function startWorker(file: string): { ask(request: object): Promise<unknown>; stop(): Promise<void> } {
  const child = killOnExit(fork(join(import.meta.dirname, file), { serialization: 'advanced' }))
  child.setMaxListeners(0)
  return {
    ask(request) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const onExit = () => reject(new Error(`${file} exited.`))
      child.once('exit', onExit)
      child.once('message', response => {
        child.off('exit', onExit)
        resolve(response)
      })
      child.send(request)
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

/** Kills the child process when the benchmark exits. */
function killOnExit(child: ChildProcess): ChildProcess {
  running.add(child)
  return child.once('exit', () => running.delete(child))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill('SIGTERM')
  await closed
}

/** A process's resident bytes, and the CPU seconds that all its threads have used. */
export function usageOf({ pid }: { pid: number }): { resident: number; cpuSeconds: number } {
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { resident: Number(resident) * 1024, cpuSeconds: cpuSecondsOf(pid).own }
}

/** CPU milliseconds of a process and all its descendants, including those that have exited. */
export function familyCpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  const { ended } = cpuSecondsOf(pid)
  try {
    // Nanosecond resolution: a run of a few seconds may be only a few clock ticks.
    const own = tasks.map(
      task => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    )
    return [...own, ...children.map(child => familyCpuMs(Number(child)))].reduce((sum, ms) => sum + ms, ended * 1000)
  } catch (error) {
    if (!existsSync(`/proc/${pid}`)) throw error
    // A child process has exited in the meantime.
    return familyCpuMs(pid)
  }
}

/** CPU seconds of a process itself, and of its children that have exited. */
export function cpuSecondsOf(pid: number | 'self'): { own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? []
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11)
  // Linux reports ticks of 10 ms here, independent of the kernel's own tick.
  return { own: (user + system) / 100, ended: (endedUser + endedSystem) / 100 }
}
