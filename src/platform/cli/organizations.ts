import { existsSync } from 'node:fs'
import { botSettingsSchemas } from '../../contract/index.ts'
import { createOrganizationRow } from '../domain/organizations.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { command, type Topic } from './command.ts'
import { database, onStore, withStore } from './database.ts'
import { checked, option, required } from './option.ts'
import { json, printRows } from './rows.ts'

const name = option('--name <NAME>', 'Its name').argParser(checked(botSettingsSchemas.name))

/** The organization of bots or tokens. */
export const organization = option('--organization <ID>', 'The organization, as "natter org list" shows it')

export const organizations: Topic = {
  name: 'org',
  summary: 'Creates and lists organizations',
  note: '"create" prints the id, and creates the database if it does not exist.',
  commands: [
    command({
      name: 'org create',
      summary: 'Creates an organization',
      options: [required(name), database, json],
      async run(call) {
        const created = createOrganizationRow(call.values.name, call.clock)
        const file = call.values.database
        const isNew = !isPostgres(file) && !existsSync(file)
        await withStore(call, file, store => store.createOrganization(created))
        if (isNew) call.stderr(`natter: created the database ${file}\n`)
        printRows(call, [created], ({ id }) => [id])
      },
    }),
    command({
      name: 'org list',
      summary: 'Lists id and name of each',
      options: [database, json],
      run: onStore(async (call, store) => {
        printRows(call, await store.listOrganizations(), ({ id, name }) => [id, name])
      }),
    }),
  ],
}
