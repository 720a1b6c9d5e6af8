import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from '../../testPort.ts'
import { startProcess, type TestProcess } from '../../testProcess.ts'

/** A real `nats-server` for tests. */
export interface TestNats {
  url: string
  readonly pid: number
  /** Starts it again after it was stopped. */
  start(): Promise<void>
  kill(): Promise<void>
  /** Suspends it, with connections open and no responses, or resumes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

export async function startNats(binary: string, ...more: string[]): Promise<TestNats> {
  const port = await freePort()
  const access = more.length > 0 ? more : ['--user', 'natter', '--pass', 'geheim']
  let program: TestProcess | undefined
  async function start(): Promise<void> {
    program = startProcess(binary, ['--addr', '127.0.0.1', '--port', `${port}`, ...access])
    await program.firstMatch(/Server is ready/)
  }
  await start()
  return {
    url: `nats://natter:geheim@127.0.0.1:${port}`,
    get pid() {
      return program?.pid ?? 0
    },
    start,
    kill: async () => void (await program?.stop('SIGKILL')),
    signal: signal => program?.signal(signal),
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
