import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase, execute } from '../../testing/postgresServer.ts'
import { at } from '../../testing/store/storeTenants.ts'
import { connect } from './connection.ts'
import { migrate, migrations } from './migrations.ts'

const nextVersion = [
  ...migrations,
  'ALTER TABLE messages ADD COLUMN length integer; UPDATE messages SET length = char_length(text)',
]

/** A database whose clients use a schema with a name that SQL has to quote. */
async function createWithSchema(): Promise<string> {
  const url = await createDatabase(inject('postgres'))
  const name = new URL(url).pathname.slice(1)
  await execute(url, `CREATE SCHEMA "Odd ""name"`)
  await execute(url, `ALTER DATABASE ${name} SET search_path TO "Odd ""name"`)
  return url
}

/** Runs what a node does when it starts. */
async function start(url: string, version = migrations): Promise<void> {
  const db = await connect(url)
  onTestFinished(db.close)
  await migrate(db, version)
}

const readVersion = (url: string) => execute(url, 'SELECT version FROM natter_schema')

it('creates the tables once when several nodes start, in a schema whose name has capitals, spaces and quotes', async () => {
  const url = await createWithSchema()
  await Promise.all([start(url), start(url), start(url)])
  expect(await execute(url, `SELECT DISTINCT schemaname FROM pg_tables WHERE tablename = 'contacts'`)).toEqual([
    { schemaname: 'Odd "name' },
  ])
})

it('counts contacts although the search path of the writer has none of the tables', async () => {
  const url = await createWithSchema()
  await start(url)
  const contact = `INSERT INTO "Odd ""name".contacts VALUES
    ('id', 'o', 'b', 'key', '', '', '', '', '', NULL, NULL, '', '', '', '', '')`
  await execute(url, `SET search_path = ''; ${contact}`)
  expect(await execute(url, 'SELECT bot_id, contacts FROM contact_counts')).toEqual([{ bot_id: 'b', contacts: '1' }])
})

it('migrates a database of an older version, with its rows, and is refused by a node of that version', async () => {
  const url = await createDatabase(inject('postgres'))
  await start(url)
  await execute(
    url,
    `INSERT INTO conversations (id, bot_id, created_at) VALUES ('v', 'b', '${at(0)}');
     INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
     VALUES ('v', 1, 'm', 'visitor', 'hello', 'text', '${at(1)}')`,
  )
  await Promise.all([start(url, nextVersion), start(url, nextVersion)])
  expect(await execute(url, 'SELECT length FROM messages')).toEqual([{ length: 5 }])
  await expect(start(url)).rejects.toThrow('The database is of a newer version of Natter. Update Natter.')
})

it('leaves the tables as they were if a migration fails', async () => {
  const url = await createDatabase(inject('postgres'))
  await start(url)
  await expect(start(url, [...nextVersion, 'CREATE TABLE messages (a text)'])).rejects.toThrow('already exists')
  expect(await readVersion(url)).toEqual([{ version: migrations.length }])
})

it('refuses a database with tables of another program', async () => {
  const url = await createDatabase(inject('postgres'))
  await execute(url, 'CREATE TABLE contacts (id text)')
  await expect(start(url)).rejects.toThrow('relation "contacts" already exists')
})
