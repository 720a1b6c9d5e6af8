import type { RowWriter } from '../moves/copyTables.ts'
import { wholeDatabase } from '../moves/rowSelection.ts'
import { tables } from '../moves/tables.ts'
import { createRowWriter } from './copiedRows.ts'
import type { DirectConnection } from './directConnection.ts'

/** Fills all tables of an empty database, in a transaction without a time limit. Throws if it is not empty. */
export function fillTables<Result>(
  db: DirectConnection,
  name: string,
  fill: (writer: RowWriter) => Promise<Result>,
): Promise<Result> {
  return db.transact(async () => {
    // A node that starts during the copy waits and then finds everything.
    await db.all(`LOCK TABLE ${tables.map(table => table.name).join(', ')} IN EXCLUSIVE MODE`)
    for (const table of tables)
      if (await db.one(`SELECT 1 FROM ${table.name} LIMIT 1`))
        throw new Error(`The database ${name} holds data already. Copy into an empty one.`)
    const result = await fill(createRowWriter(db, wholeDatabase))
    for (const table of tables) if (table.number) await continueNumbers(db, table.name, table.number)
    return result
  })
}

async function continueNumbers(db: DirectConnection, table: string, column: string): Promise<void> {
  await db.all(
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
       (SELECT coalesce(max(${column}), 0) + 1 FROM ${table}), false)`,
  )
}
