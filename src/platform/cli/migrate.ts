import { nameOfDatabase } from '../openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { migrate as migrateDatabase } from '../store/postgres/migrate.ts'
import { command, type Topic } from './command.ts'
import { database, withStore } from './database.ts'

export const migrate: Topic = {
  name: 'migrate',
  summary: 'Migrate the database to this version',
  note: `"natter serve" makes the tables of an empty database, and migrates a file and a small PostgreSQL database, by
itself. Run this first for a large one, which it refuses until then, and where the server's user may not make tables.
Servers of this version and of the one before go on meanwhile. One that was killed goes on when it is run again; of two
at once, one waits. PostgreSQL itself is needed, not a connection pooler.`,
  commands: [
    command({
      name: 'migrate',
      summary: 'Creates missing tables, and migrates those of an older version',
      options: { database },
      async run({ values, printLine, stderr }) {
        if (isPostgres(values.database))
          await migrateDatabase({ url: values.database, onProgress: line => stderr(`${line}\n`) })
        else await withStore(values.database, store => store.ping())
        printLine(`${nameOfDatabase(values.database)} is of this version`)
      },
    }),
  ],
}
