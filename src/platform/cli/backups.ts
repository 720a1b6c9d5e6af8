import { timestamp } from '../domain/time.ts'
import { backupDatabase, restoreDatabase } from '../store/sqlite/backup.ts'
import { command, type Topic } from './command.ts'
import { database, existing } from './database.ts'

export const backup: Topic = {
  name: 'backup',
  does: 'Copy the database, while a server runs too',
  note: 'FILE must not exist yet; it is written whole or not at all, and only its owner may read it.',
  commands: [
    command({
      name: 'backup',
      takes: 'FILE',
      does: 'Copies the database as it is at this moment',
      options: { database },
      async run({ argument, values, print }) {
        backupDatabase(existing(values.database), argument)
        print(`backed up to ${argument}`)
      },
    }),
  ],
}

export const restore: Topic = {
  name: 'restore',
  does: 'Put a backup in the place of the database',
  note: `Refused while a server runs: stop it first. The database that was there is gone afterwards.
Every token of the backup ends, since one may have been revoked after it was made: make new organization tokens with
"natter token create"; visitors sign in anew.`,
  commands: [
    command({
      name: 'restore',
      takes: 'FILE',
      does: 'Puts a backup in the place of the database, and ends every token in it',
      options: { 'keep-tokens': { says: 'Leave the tokens of the backup as they are' }, database },
      async run({ argument, values, clock, print }) {
        const at = timestamp(clock.now())
        const ended = restoreDatabase(argument, values.database, { keepTokens: values['keep-tokens'], at })
        print(`restored, ${ended} tokens ended`)
      },
    }),
  ],
}
