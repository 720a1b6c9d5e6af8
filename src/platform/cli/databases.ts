import { existsSync } from 'node:fs'
import { count } from '../count.ts'
import { timestamp } from '../domain/time.ts'
import { copyDatabase } from '../store/copyDatabase.ts'
import { nameOfDatabase } from '../store/openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { backupDatabase, restoreDatabase } from '../store/sqlite/backup.ts'
import { lockExclusive } from '../store/sqlite/databaseFile.ts'
import { command, UsageError } from './command.ts'
import { database, existing, readKept, withStore } from './database.ts'
import { option, required } from './option.ts'

export const backup = command({
  name: 'backup',
  positional: '<FILE>',
  summary: 'Copies a snapshot of the database, also while a server is running',
  note: `FILE must not exist. It is written completely or not at all, and only its owner can read it.
A backup that is killed leaves FILE.<uuid>.partial. Delete it.`,
  options: [database],
  async run({ argument, values, printLine }) {
    requireFiles(values.database, argument)
    backupDatabase(existing(values.database), argument)
    printLine(`backed up to ${argument}`)
  },
})

export const restore = command({
  name: 'restore',
  positional: '<FILE>',
  summary: 'Replaces the database with a backup, and ends all tokens in it',
  note: `Refused while a server runs: stop it first. The former database is kept beside the new one, with .before-restore
at the end of its name. Delete it when you are done: the next restore is refused until then. A backup with other
tables than those of Natter is refused.
Every token of the backup ends, since one may have been revoked after the backup was made. Create new organization
tokens with "natter token create". Visitors sign in again.`,
  options: [option('--keep-tokens', 'Leave the tokens of the backup as they are'), database],
  async run({ argument, values, clock, printLine }) {
    requireFiles(values.database, argument)
    const at = timestamp(clock.now())
    if (!existsSync(argument)) throw new UsageError(`There is no backup ${argument}.`)
    const { keepTokens = false } = values
    const { ended, former } = restoreDatabase(argument, values.database, { keepTokens, at })
    printLine(`restored, ${count(ended, 'token')} ended`)
    if (ended > 0) printLine('create a new organization token: natter token create --organization ORG_ID')
    if (former !== null) printLine(`the former database is ${former}`)
  },
})

export const migrate = command({
  name: 'migrate',
  summary: 'Creates missing tables, and migrates those of an older version',
  note: `"natter serve" does it by itself when it starts. Run "natter migrate" before it if the server's user may not create
tables. Everything happens in one transaction; others wait for the tables meanwhile.`,
  options: [database],
  async run(call) {
    const { database } = call.values
    await withStore(call, database, store => store.ping())
    call.printLine(`${nameOfDatabase(database)} is of this version`)
  },
})

export const copy = command({
  name: 'copy',
  summary: 'Copies a database file into PostgreSQL',
  note: `Stop the server of --from first. The file is not changed. The new database must be empty. It gets everything or
nothing, also tokens and turns, and the rows of each table are counted: a server continues with the copy. The password
may be in PGPASSWORD.`,
  options: [
    required(option('--from <DATABASE>', 'The file to copy from').argParser(readKept)),
    required(option('--to <DATABASE>', 'The address to copy to').argParser(readKept)),
  ],
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
})

/** Does not show the address, which may contain a password. */
function requireFiles(...files: string[]): void {
  if (files.some(isPostgres))
    throw new UsageError(
      'FILE and --database must be paths of files. Back up a PostgreSQL database with its own tools, such as pg_dump.',
    )
}
