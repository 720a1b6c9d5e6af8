import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, execute, startPostgres } from '../../../src/platform/testing/postgresServer.ts'
import { createTenant } from '../processes.ts'
import { createRowGenerator, rowColumns } from './contactRows.ts'

/** A database with one bot that has very many contacts. */
export interface LargeBot {
  database: string
  organizationId: string
  botId: string
  token: string
  /** The seconds that each step of building it took. */
  seconds: Record<string, number>
  /** Bytes of the table and of each of its indexes. */
  bytes: Record<string, number>
  remove(): Promise<void>
}

/** Minimal settings of a server for such a table. The WAL is minimal, because there are no replicas. */
const settings = [
  `shared_buffers = '4GB'`,
  `effective_cache_size = '12GB'`,
  `maintenance_work_mem = '3GB'`,
  `max_wal_size = '16GB'`,
  `wal_level = minimal`,
  `max_wal_senders = 0`,
  `random_page_cost = 1.1`,
]

const rowsPerFile = 250_000
const rowsPerWrite = 1000

/** Writes the rows with COPY, and then builds the indexes that only lists and searches use. */
export async function createLargeBot(rows: number): Promise<LargeBot> {
  const postgres = await startPostgres({ isDurable: true })
  // Kill it however the benchmark exits.
  const kill = () => void process.kill(postgres.pid, 'SIGQUIT')
  process.once('exit', kill)
  for (const setting of settings) await execute(postgres.url, `ALTER SYSTEM SET ${setting}`)
  await postgres.stop()
  await postgres.start()
  const database = await createDatabase(postgres.url)
  const tenant = createTenant(database)
  const seconds: Record<string, number> = {}
  const timed = async (step: string, statement: string) => {
    seconds[step] = await secondsOf(() => execute(database, statement))
    process.stdout.write(`  ${step}: ${seconds[step].toFixed(0)} s\n`)
  }
  const indexes = await execute(
    database,
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE indexname IN ('contacts_newest', 'contacts_search')`,
  )
  // The triggers count the rows of a transaction in memory. For this many it is faster to count them once afterwards.
  await execute(database, 'ALTER TABLE contacts DISABLE TRIGGER USER; DROP INDEX contacts_newest, contacts_search')
  seconds['rows'] = await secondsOf(() => copyRows(database, tenant, rows))
  for (const { name, definition } of indexes) await timed(String(name), String(definition))
  await timed('count', 'INSERT INTO contact_counts (bot_id, contacts) SELECT bot_id, count(*) FROM contacts GROUP BY 1')
  await execute(database, 'ALTER TABLE contacts ENABLE TRIGGER USER')
  await timed('VACUUM ANALYZE', 'VACUUM ANALYZE contacts')
  const sizes = await execute(
    database,
    `SELECT relname AS name, pg_table_size(oid) AS bytes FROM pg_class
     WHERE relname LIKE 'contacts%' AND relkind IN ('r', 'i')`,
  )
  const bytes = Object.fromEntries(sizes.map(({ name, bytes }) => [String(name), Number(bytes)]))
  const remove = async () => {
    process.off('exit', kill)
    await postgres.remove()
  }
  return { database, ...tenant, seconds, bytes, remove }
}

/** While PostgreSQL reads one file, this process writes the next one. */
async function copyRows(database: string, bot: { organizationId: string; botId: string }, rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-listing-'))
  await chmod(folder, 0o755)
  const nextRow = createRowGenerator(bot)
  let copying: Promise<unknown> = Promise.resolve()
  try {
    for (let done = 0; done < rows; done += rowsPerFile) {
      const file = join(folder, `${(done / rowsPerFile) % 2}.tsv`)
      writeRows(file, Math.min(rowsPerFile, rows - done), nextRow)
      await copying
      copying = execute(database, `COPY contacts (${rowColumns}) FROM '${file}'`)
      // Sends the statement before the next file blocks this thread.
      await new Promise(resolve => setTimeout(resolve, 50))
      if (done % 1_000_000 === 0) process.stdout.write(`  ${done} contacts\n`)
    }
    await copying
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeRows(file: string, rows: number, nextRow: () => string): void {
  const handle = openSync(file, 'w')
  for (let done = 0; done < rows; done += rowsPerWrite) {
    let text = ''
    for (let row = done; row < Math.min(rows, done + rowsPerWrite); row++) text += nextRow()
    writeSync(handle, text)
  }
  closeSync(handle)
}

export async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return (performance.now() - start) / 1000
}
