import { copyDatabase } from '../store/copyDatabase.ts'
import { nameOfDatabase } from '../store/openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { lockExclusive } from '../store/sqlite/databaseLock.ts'
import { command, type Topic } from './command.ts'
import { database, existing } from './database.ts'
import { UsageError } from './usageError.ts'

export const copy: Topic = {
  name: 'copy',
  summary: 'Copy a database file into PostgreSQL',
  note: `Stop the server of --from first. The file is not changed. The new database must be empty. It gets everything or
nothing, and the rows of each table are counted. The password may be in PGPASSWORD.`,
  commands: [
    command({
      name: 'copy',
      summary: 'Copies everything, including tokens and turns: a server continues with the copy',
      required: ['from', 'to'],
      options: {
        from: { ...database, variable: undefined, default: undefined, description: 'The file to copy from' },
        to: { ...database, variable: undefined, default: undefined, description: 'The address to copy to' },
      },
      async run({ values: { from, to }, stderr, printLine }) {
        existing(from, '--from')
        if (isPostgres(from) || !isPostgres(to))
          throw new UsageError(
            '--from is a file, and --to an address that begins with postgres://. Copy PostgreSQL by its own means, such as pg_dump.',
          )
        const release = lockExclusive(from)
        try {
          const onTable = (table: string, rows: number) => stderr(`${table}: ${rows} rows\n`)
          const rows = await copyDatabase({ from, to, onTable })
          printLine(`copied ${rows} rows to ${nameOfDatabase(to)}; the numbers of rows agree`)
        } finally {
          release()
        }
      },
    }),
  ],
}
