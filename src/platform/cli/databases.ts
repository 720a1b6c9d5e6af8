import { nameOfDatabase } from '../openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { copyDatabase } from '../store/postgres/copy.ts'
import { migrate as migrateDatabase } from '../store/postgres/migrate.ts'
import { lockExclusive } from '../store/sqlite/databaseLock.ts'
import { command, type Topic } from './command.ts'
import { database, databaseFile, existing, withStore } from './database.ts'
import { refuse } from './option.ts'

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

const everyMs = 1_000

export const copy: Topic = {
  name: 'copy',
  summary: 'Copy a database file into PostgreSQL',
  note: `Stop the server of FILE first; FILE stays as it is. The new database must be empty; it gets everything or nothing, and
each row is read back and compared. A password need not stand in the address: PGPASSWORD counts, too.`,
  commands: [
    command({
      name: 'copy',
      summary: 'Copies everything, including tokens and turns: a server continues with the copy where FILE ended',
      required: ['from', 'to'],
      options: {
        from: { metavar: 'FILE', description: 'The database of the embedded store', read: databaseFile.read },
        to: {
          metavar: 'ADDRESS',
          description: 'The empty database, `postgres://user@host:5432/database`',
          read: text =>
            isPostgres(text) ? database.read(text) : refuse('Must be an address that begins with postgres://.'),
        },
      },
      async run({ values: { from, to }, clock, printLine, stderr }) {
        const release = lockExclusive(existing(from, '--from'))
        let said = clock.elapsed()
        try {
          const rows = await copyDatabase({
            from,
            to,
            onProgress({ table, copied, total }) {
              if (copied < total && clock.elapsed() - said < everyMs) return
              said = clock.elapsed()
              stderr(`${table}: ${copied} of ${total}\n`)
            },
          })
          printLine(`copied ${rows} rows to ${nameOfDatabase(to)}; counts and checksums agree`)
        } finally {
          release()
        }
      },
    }),
  ],
}
