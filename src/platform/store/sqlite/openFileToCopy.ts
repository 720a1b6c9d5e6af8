import type { RowReader } from '../moves/copyTables.ts'
import { isLeftBehindSql } from '../moves/guards.ts'
import { wholeDatabase } from '../moves/rowSelection.ts'
import { openDatabase } from './connection.ts'
import { createRowReader } from './copiedRows.ts'
import { amend, checkOwn } from './migrations.ts'
import { nowMs } from './moveGuards.ts'

/** Opens a file to read all of it. Nothing may write to it meanwhile. The file does not change. */
export function openFileToCopy(path: string): { reader: RowReader; close(): void } {
  const db = openDatabase({ file: path, busyTimeoutMs: 5000, durable: true })
  try {
    checkOwn(db)
    // Migrates the tables in a transaction that is never committed.
    db.exec('BEGIN')
    amend(db)
    if (db.prepare(`SELECT 1 FROM organization_moves WHERE NOT ${isLeftBehindSql(nowMs)}`).get())
      throw new Error('An organization of it is being moved: end that with natter copy --finish or --abandon first.')
    return { reader: createRowReader(db, wholeDatabase), close: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}
