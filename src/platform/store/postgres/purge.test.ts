import { expect, inject, it, onTestFinished } from 'vitest'
import { createStoreDatabase, execute } from '../../testing/postgresServer.ts'
import { at } from '../../testing/store/storeTenants.ts'
import { connect, type Database } from './connection.ts'
import { ensureSchema } from './ensureSchema.ts'
import { ConflictRetryError } from './errors.ts'
import { migrations } from './migrations.ts'
import { purge } from './purge.ts'

it('deletes every expired row of rate limits although each of its transactions is repeated', async () => {
  const url = await createStoreDatabase(inject('postgres'))
  const db = await connect(url)
  onTestFinished(db.close)
  await ensureSchema(db, migrations)
  await execute(
    url,
    `INSERT INTO quotas SELECT 'key ' || n, clock_timestamp() - interval '1 s', 1, 1 FROM generate_series(1, 1600) n`,
  )
  const conflicting: Database = {
    ...db,
    transact: (run, options) =>
      db.transact(async (tx, attempt) => {
        const result = await run(tx, attempt)
        if (attempt === 1) throw new ConflictRetryError()
        return result
      }, options),
  }
  await purge(conflicting).purge({ now: at(0), endedBefore: at(0) })
  expect(await execute(url, 'SELECT count(*)::int AS n FROM quotas')).toEqual([{ n: 0 }])
})
