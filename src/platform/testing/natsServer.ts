import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from '../../testPort.ts'

/** A real `nats-server` for tests. */
export interface TestNats {
  url: string
  readonly pid: number
  /** Starts it again after it was stopped. */
  start(): Promise<void>
  /** Kills it. */
  kill(): Promise<void>
  /** Suspends it, with connections open and no responses, or resumes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

export async function startNats(binary: string, ...more: string[]): Promise<TestNats> {
  let child: ReturnType<typeof spawn> | undefined
  const port = await freePort()
  async function start(): Promise<void> {
    const access = more.length > 0 ? more : ['--user', 'natter', '--pass', 'geheim']
    const args = ['--addr', '127.0.0.1', '--port', `${port}`, ...access]
    const started = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    let output = ''
    await new Promise<void>((resolve, reject) => {
      started.stderr.on('data', chunk => {
        output = (output + chunk).slice(-10_000)
        if (output.includes('Server is ready')) resolve()
      })
      started.on('error', reject)
      started.on('exit', () => reject(new Error(`nats-server ended: ${output}`)))
    })
  }
  await start()
  return {
    url: `nats://natter:geheim@127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0
    },
    start,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    signal: signal => void child?.kill(signal),
  }
}

const cache = join(import.meta.dirname, '../../../node_modules/.cache/natter')
const unpacked = join(cache, 'nats-server')

/**
 * The path of a `nats-server`: from `NATTER_NATS`, `PATH`, or Debian's package, unpacked beside the dependencies.
 * Otherwise `undefined`.
 */
export function findNats(): string | undefined {
  const named = process.env['NATTER_NATS']
  if (named && !existsSync(named)) throw new Error(`NATTER_NATS names ${named}, which does not exist`)
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  const existing = [...folders.map(folder => join(folder, 'nats-server')), unpacked].find(path => existsSync(path))
  const found = named ?? existing ?? unpack()
  if (!found)
    console.info('Tests with NATS are not run: no nats-server, neither by NATTER_NATS nor in PATH nor of Debian.')
  return found
}

/** Unpacks the package without installing it, so the system stays unchanged. */
function unpack(): string | undefined {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'unpacking-'))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: 'ignore', timeout: 60_000 })
  // Uses separate package lists: the system's may be missing, and are not ours to update.
  const own = ['-o', `Dir::State::lists=${folder}/lists`, '-o', `Dir::Cache=${folder}/cache`]
  try {
    try {
      run('apt-get', 'download', 'nats-server')
    } catch {
      mkdirSync(join(folder, 'lists/partial'), { recursive: true })
      mkdirSync(join(folder, 'cache/archives/partial'), { recursive: true })
      run('apt-get', ...own, 'update')
      run('apt-get', ...own, 'download', 'nats-server')
    }
    const file = readdirSync(folder).find(name => name.endsWith('.deb'))
    run('dpkg', '-x', file ?? '', 'tree')
    renameSync(join(folder, 'tree/usr/sbin/nats-server'), unpacked)
    return unpacked
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
