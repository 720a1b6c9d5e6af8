import { existsSync } from 'node:fs'
import { timestamp } from '../domain/time.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { backupDatabase, restoreDatabase } from '../store/sqlite/backup.ts'
import { command, type Topic } from './command.ts'
import { databaseFile, existing } from './database.ts'
import { UsageError } from './usageError.ts'

export const backup: Topic = {
  name: 'backup',
  summary: 'Copy the database, while a server runs too',
  note: `FILE must not exist yet; it is written whole or not at all, and only its owner may read it.
One that was killed leaves FILE.<uuid>.partial behind, which the next one of that name removes after a day.`,
  commands: [
    command({
      name: 'backup',
      metavar: 'FILE',
      summary: 'Copies the database as it is at this moment',
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
  summary: 'Put a backup in the place of the database',
  note: `Refused while a server runs: stop it first. The database that was there stays beside it with .before-restore
at the end of its name: delete it when you are done. One of an earlier restore must be gone first. A
backup that holds other tables than Natter makes is refused.
Every token of the backup ends, since one may have been revoked after it was made: make new organization tokens with
"natter token create"; visitors sign in anew.`,
  commands: [
    command({
      name: 'restore',
      metavar: 'FILE',
      summary: 'Puts a backup in the place of the database, and ends every token in it',
      options: { 'keep-tokens': { description: 'Leave the tokens of the backup as they are' }, database: databaseFile },
      async run({ argument, values, clock, printLine }) {
        refuseAddress(argument)
        const at = timestamp(clock.now())
        if (!existsSync(argument)) throw new UsageError(`There is no backup ${argument}.`)
        const keepTokens = values['keep-tokens']
        const { ended, former } = restoreDatabase(argument, values.database, { keepTokens, at })
        printLine(`restored, ${ended} ${ended === 1 ? 'token' : 'tokens'} ended`)
        if (former !== null) printLine(`the former database is ${former}`)
      },
    }),
  ],
}

/** It may hold a password, which no answer shows. */
function refuseAddress(file: string): void {
  if (isPostgres(file))
    throw new UsageError(
      'FILE must be the path of a file: a PostgreSQL database has means of its own, such as pg_dump.',
    )
}
