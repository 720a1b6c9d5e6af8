import { nameOfDatabase } from '../store/openStore.ts'
import { command, type Topic } from './command.ts'
import { database, withStore } from './database.ts'

export const migrate: Topic = {
  name: 'migrate',
  summary: 'Migrate the database to this version',
  note: `"natter serve" does it by itself when it starts. Run "natter migrate" before it if the server's user may not create
tables. Everything happens in one transaction; others wait for the tables meanwhile.`,
  commands: [
    command({
      name: 'migrate',
      summary: 'Creates missing tables, and migrates those of an older version',
      options: { database },
      async run({ values, printLine }) {
        await withStore(values.database, store => store.ping())
        printLine(`${nameOfDatabase(values.database)} is of this version`)
      },
    }),
  ],
}
