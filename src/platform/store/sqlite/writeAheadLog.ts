import type { DatabaseSync } from 'node:sqlite'

/**
 * Switches to a write-ahead log. That fails with "busy" at once, whatever the timeout, while another process does the same, so
 * it is tried again.
 */
export function useWriteAheadLog(db: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (attempt === 100) throw error
      Atomics.wait(pause, 0, 0, 20)
    }
  }
}
