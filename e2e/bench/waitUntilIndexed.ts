import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when every contact is in the full-text index. The index is updated after the writes, and that work must not
 * count towards the next measurement.
 */
export async function waitUntilIndexed(database: string): Promise<void> {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
  const queued = db.prepare('SELECT 1 FROM search_index_queue LIMIT 1')
  while (queued.get()) await sleep(50)
  db.close()
}
