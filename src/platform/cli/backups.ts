import { existsSync } from 'node:fs'
import { timestamp } from '../domain/time.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { backupDatabase, restoreDatabase } from '../store/sqlite/backup.ts'
import { command, type Topic } from './command.ts'
import { databaseFile, existing } from './database.ts'
import { UsageError } from './usageError.ts'

export const backup: Topic = {
  name: 'backup',
  summary: 'Copy the database, also while a server is running',
  note: `FILE must not exist. It is written completely or not at all, and only its owner can read it.
A backup that is killed leaves FILE.<uuid>.partial. The next backup to the same FILE removes it after a day.`,
  commands: [
    command({
      name: 'backup',
      metavar: 'FILE',
      summary: 'Copies a snapshot of the database',
      options: { database: databaseFile },
      async run({ argument, values, printLine }) {
        refuseAddress(argument)
        backupDatabase(existing(values.database), argument)
        printLine(`backed up to ${argument}`)
      },
    }),
  ],
}

export const restore: Topic = {
  name: 'restore',
  summary: 'Replace the database with a backup',
  note: `Refused while a server runs: stop it first. The former database is kept beside the new one, with .before-restore
at the end of its name. Delete it when you are done: the next restore is refused until then. A backup with other
tables than those of Natter is refused.
Every token of the backup ends, since one may have been revoked after the backup was made. Create new organization
tokens with "natter token create". Visitors sign in again.`,
  commands: [
    command({
      name: 'restore',
      metavar: 'FILE',
      summary: 'Replaces the database with a backup, and ends all tokens in it',
      options: { 'keep-tokens': { description: 'Leave the tokens of the backup as they are' }, database: databaseFile },
      async run({ argument, values, clock, printLine }) {
        refuseAddress(argument)
        const at = timestamp(clock.now())
        if (!existsSync(argument)) throw new UsageError(`There is no backup ${argument}.`)
        const keepTokens = values['keep-tokens']
        const { ended, former } = restoreDatabase(argument, values.database, { keepTokens, at })
        printLine(`restored, ${ended} ${ended === 1 ? 'token' : 'tokens'} ended`)
        if (ended > 0) printLine('create a new organization token: natter token create --organization ORG_ID')
        if (former !== null) printLine(`the former database is ${former}`)
      },
    }),
  ],
}

/** Does not show the address, which may contain a password. */
function refuseAddress(file: string): void {
  if (isPostgres(file))
    throw new UsageError(
      'FILE must be the path of a file. Back up a PostgreSQL database with its own tools, such as pg_dump.',
    )
}
