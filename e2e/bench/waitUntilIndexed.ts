import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when every contact has come into the full-text index, which is kept up apart from the writes: whoever is
 * measured next must not pay for it.
 */
export async function waitUntilIndexed(database: string): Promise<void> {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
  const waiting = db.prepare('SELECT 1 FROM search_index_queue LIMIT 1')
  while (waiting.get()) await sleep(50)
  db.close()
}
