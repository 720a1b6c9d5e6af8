import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { removeDatabase } from './dataset.ts'
import { count, median, milliseconds, percentile } from './figures.ts'
import type { Load, LoadResult } from './loadClient.ts'
import { dropCachedPages, limitMemory } from './memoryLimit.ts'
import { createTenant, folder, startClient, startNatter } from './processes.ts'
import type { BenchOptions, Report } from './report.ts'
import { requireSuccess } from './storeMeasurements.ts'

const contacts = 4_000_000
/** The memory for the server's allocations after its start, and for cached pages of the file, which has 1.5 GB. */
const memoryBytes = 192 * 2 ** 20

/** The background load. */
const loads = [
  { what: 'no others', connections: 0, thinkMs: 0 },
  { what: '≈ 200 others a second', connections: 2, thinkMs: 8 },
  { what: 'others over 32 connections', connections: 32, thinkMs: 0 },
]

/**
 * Latency of retrieving one contact, whose page is in memory, while others retrieve random contacts of a file that does not
 * fit into memory. Needs root, for a cgroup.
 *
 * The embedded store reads single rows in the main thread: README.md has the figures of a reader thread, which was tried, too.
 */
export async function benchColdReads({ rounds, seconds }: BenchOptions): Promise<Report> {
  const database = join(folder, 'cold.db')
  const dataset = createDatabase(database)
  const [client, backgroundClient] = [startClient(), startClient()]
  const rows: string[][] = []
  for (const where of ['in memory', 'on disk'] as const) {
    dropCachedPages(database)
    const natter = await startNatter(database)
    const removeLimit = where === 'on disk' ? limitMemory(natter.pid, memoryBytes) : undefined
    const retrieve = (part: Pick<Load, 'contactIds' | 'connections' | 'thinkMs'>): Load => ({
      ...{ request: 'retrieve', path: `/v1/bots/${dataset.botId}`, token: dataset.token, port: natter.port },
      ...{ seconds, round: '', ...part },
    })
    // Few enough to stay in memory, or all.
    const others = where === 'on disk' ? dataset.contactIds : dataset.contactIds.slice(0, 1000)
    for (const { what, connections, thinkMs } of loads) {
      const measured: LoadResult[] = []
      const background: LoadResult[] = []
      for (let round = 0; round <= rounds; round++) {
        const beside =
          connections > 0 ? backgroundClient.run(retrieve({ contactIds: others, connections, thinkMs })) : undefined
        const hot = await client.run(
          retrieve({ contactIds: dataset.contactIds.slice(0, 1), connections: 2, thinkMs: 5 }),
        )
        const cold = await beside
        // The first round only warms up.
        if (round === 0) continue
        measured.push(requireSuccess(hot))
        if (cold) background.push(requireSuccess(cold))
      }
      rows.push([`${where}, ${what}`, ...figuresOf(background), ...figuresOf(measured).slice(1)])
    }
    await natter.stop()
    removeLimit?.()
  }
  await Promise.all([client.stop(), backgroundClient.stop()])
  removeDatabase(database)
  return { subject: 'cold', goals: [], tables: [{ title, columns, rows }], plots: [] }
}

const title = `Retrieving a contact whose page is in memory, beside others; ${count(contacts)} contacts`
const columns = ['', 'others a second', 'their median', 'their p99', 'median', 'p99']

/** Requests a second, median and p99: medians over the rounds. */
function figuresOf(results: LoadResult[]): string[] {
  if (results.length === 0) return ['', '', '']
  const ms = (share: number) => milliseconds(median(results.map(({ latencies }) => percentile(latencies, share))))
  return [count(median(results.map(({ perSecond }) => perSecond))), ms(0.5), ms(0.99)]
}

/** Fills the table of contacts directly: through the API it would take an hour. They can be retrieved, not searched. */
function createDatabase(database: string): { botId: string; token: string; contactIds: string[] } {
  removeDatabase(database)
  const { organizationId, botId, token } = createTenant(database)
  const db = new DatabaseSync(database)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN')
  const insert = db.prepare(
    `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at)
     VALUES ($id, $organizationId, $botId, $email, 'Grace Hopper', $email, '+1 202 555 0100', '', '', $at, $at)`,
  )
  const at = new Date().toISOString()
  const contactIds: string[] = []
  for (let number = 0; number < contacts; number++) {
    const id = randomUUID()
    insert.run({ id, organizationId, botId, email: `grace.hopper.${number}@example.com`, at })
    if (number % 40 === 0) contactIds.push(id)
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return { botId, token, contactIds }
}
