import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase, execute } from '../../testing/postgresServer.ts'
import { nextVersion } from '../../testing/store/migrations.ts'
import { connect } from './connection.ts'
import { ensureSchema } from './ensureSchema.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'

/** A database whose clients use a schema with a name that SQL has to quote. */
async function createWithSchema(): Promise<string> {
  const url = await createDatabase(inject('postgres'))
  const name = new URL(url).pathname.slice(1)
  await execute(url, `CREATE SCHEMA "Odd ""name"`)
  await execute(url, `ALTER DATABASE ${name} SET search_path TO "Odd ""name"`)
  return url
}

async function start(url: string, version = migrations): Promise<void> {
  const db = await connect(url)
  onTestFinished(db.close)
  await ensureSchema(db, version)
}

it('migrates tables in a schema whose name has capitals, spaces and quotes, when a node starts', async () => {
  const url = await createWithSchema()
  await start(url)
  await start(url, nextVersion)
  expect(await execute(url, `SELECT DISTINCT schemaname FROM pg_tables WHERE tablename = 'contacts'`)).toEqual([
    { schemaname: 'Odd "name' },
  ])
})

it('counts contacts although the search path of the writer has none of the tables', async () => {
  const url = await createWithSchema()
  await start(url)
  const contact = `INSERT INTO "Odd ""name".contacts VALUES
    ('id', 'o', 'b', 'key', '', '', '', '', '', NULL, '', '', '', '', '', '{}')`
  await execute(url, `SET search_path = ''; ${contact}`)
  expect(await execute(url, 'SELECT bot_id, contacts FROM contact_counts')).toEqual([{ bot_id: 'b', contacts: '1' }])
})

it('migrates them with "natter migrate"', async () => {
  const url = await createWithSchema()
  await start(url)
  await migrate({ url, migrations: nextVersion, onProgress() {} })
  expect(await execute(url, 'SELECT version FROM natter_schema')).toEqual([{ version: nextVersion.length }])
})
