import { nameOfDatabase } from '../store/openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { migrate as migrateDatabase } from '../store/postgres/migrate.ts'
import { command, type Topic } from './command.ts'
import { database, withStore } from './database.ts'

export const migrate: Topic = {
  name: 'migrate',
  summary: 'Migrate the database to this version',
  note: `"natter serve" creates the tables of an empty database, and migrates a file and a small PostgreSQL database. Run
"natter migrate" before it for a large PostgreSQL database, which the server refuses otherwise, and if the server's
user may not create tables. Servers of this version and of the previous one keep running meanwhile. If it is killed,
run it again: it continues. If two run at once, one waits. Use the address of PostgreSQL itself, not of a pooler.`,
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
