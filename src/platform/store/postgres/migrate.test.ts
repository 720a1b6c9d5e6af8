import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { countLockWaits, createDatabase, execute } from '../../testing/postgresServer.ts'
import { nextVersion, versionAfterNext } from '../../testing/store/migrations.ts'
import { at, createTestTenants, newMessage, signIn } from '../../testing/store/storeTenants.ts'
import { connect } from './connection.ts'
import { ensureSchema } from './ensureSchema.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations.ts'
import { createPostgresStore } from './postgresStore.ts'
import { migrationLock } from './schemaVersion.ts'

const ignore = (): void => {}

/** A database of this version with that many messages in a conversation. */
async function createFilled(messages: number): Promise<string> {
  const url = await createDatabase(inject('postgres'))
  await (await createPostgresStore({ url })).close()
  await execute(
    url,
    `INSERT INTO conversations (id, bot_id, created_at) VALUES ('v', 'b', '${at(0)}');
     INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
     SELECT 'v', n, n::text, 'visitor', repeat('a', n % 100), 'text', '${at(1)}' FROM generate_series(1, ${messages}) n`,
  )
  return url
}

async function openSession(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Runs what a node does when it starts. */
async function start(url: string, version: Migration[], small?: number): Promise<void> {
  const db = await connect(url)
  onTestFinished(db.close)
  await ensureSchema(db, version, small)
}

const countMissing = (url: string) => execute(url, 'SELECT count(*)::int AS missing FROM messages WHERE length IS NULL')
const readVersion = (url: string) => execute(url, 'SELECT version, step FROM natter_schema')
const readIndex = (url: string) =>
  execute(url, `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass('messages_by_length')`)

/** A migration in a process of its own. */
function startProcess(url: string) {
  const file = fileURLToPath(new URL('../../testing/store/migrateProcess.ts', import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  return {
    async waitForLine(text: string): Promise<void> {
      for await (const line of lines) if (line.includes(text)) return
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** A proxy that gives clients process ids of its own, as PgBouncer does. */
async function startPooler(port: number): Promise<string> {
  const keyData = Buffer.from([0x4b, 0, 0, 0, 12])
  const pooler = createServer(client => {
    const server = createConnection(port, '127.0.0.1')
    for (const socket of [client, server]) socket.on('error', ignore)
    client.pipe(server)
    server.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(keyData)
      if (at >= 0) chunk.writeUInt32BE(1, at + keyData.length)
      client.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  onTestFinished(() => void pooler.close())
  return String((pooler.address() as AddressInfo).port)
}

describe('migrate', () => {
  it('adds a column, fills it, builds its index, and later makes it required', async () => {
    const url = await createFilled(1500)
    const lines: string[] = []
    await migrate({ url, migrations: nextVersion, onProgress: line => lines.push(line) })
    expect(lines).toEqual([
      'length of messages: ALTER TABLE messages ADD COLUMN length integer',
      'length of messages: rows of messages',
      'length of messages: index messages_by_length',
    ])
    expect(await execute(url, 'SELECT sum(length)::int AS sum FROM messages')).toEqual([{ sum: 15 * 4950 }])
    // A node of the version before knows nothing of the column.
    await execute(
      url,
      `INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
       VALUES ('v', 2000, 'late', 'visitor', 'abc', 'text', '${at(2)}')`,
    )
    await migrate({ url, migrations: versionAfterNext, onProgress: ignore })
    expect(await countMissing(url)).toEqual([{ missing: 0 }])
    await expect(execute(url, `UPDATE messages SET length = NULL`)).rejects.toThrow('messages_length')
    expect(await readVersion(url)).toEqual([{ version: versionAfterNext.length, step: 0 }])
  })

  it('makes the tables of an empty database', async () => {
    const url = await createDatabase(inject('postgres'))
    await migrate({ url, onProgress: ignore })
    const store = await createPostgresStore({ url })
    expect(await store.listOrganizations()).toEqual([])
    await store.close()
  })

  it('goes on with the rows that are left after it was killed', async () => {
    const url = await createFilled(30_000)
    // As after the first step. The last rows are held, so that the second is not done before the process is killed.
    await execute(url, 'ALTER TABLE messages ADD COLUMN length integer; UPDATE natter_schema SET step = 1')
    const holder = await openSession(url)
    await holder.query(`BEGIN; SELECT 1 FROM messages WHERE seq > 29990 FOR UPDATE`)
    const killed = startProcess(url)
    await vi.waitFor(
      async () => {
        const [state] = await execute(url, `SELECT position->>1 AS seq FROM natter_schema`)
        expect(Number(state?.['seq'])).toBeGreaterThan(1000)
      },
      { timeout: 20_000 },
    )
    await killed.kill()
    const [state] = await execute(url, `SELECT (position->>1)::int AS seq FROM natter_schema`)
    await execute(url, `UPDATE messages SET length = -1 WHERE seq <= ${Number(state?.['seq'])}`)
    await holder.query('ROLLBACK')
    await migrate({ url, migrations: nextVersion, onProgress: ignore })
    expect(await countMissing(url)).toEqual([{ missing: 0 }])
    const untouched = 'SELECT count(*)::int AS count FROM messages WHERE length = -1'
    expect(await execute(url, untouched)).toEqual([{ count: state?.['seq'] }])
    expect(await readVersion(url)).toEqual([{ version: nextVersion.length, step: 0 }])
  })

  it('rebuilds an index whose build was killed', async () => {
    const url = await createFilled(10)
    const writer = await openSession(url)
    const killed = startProcess(url)
    // The build waits for transactions that have begun before it.
    await killed.waitForLine('rows of messages')
    await writer.query(`BEGIN; LOCK TABLE messages IN ROW EXCLUSIVE MODE`)
    await vi.waitFor(async () => expect(await readIndex(url)).toEqual([{ isValid: false }]), { timeout: 20_000 })
    await killed.kill()
    await writer.query('ROLLBACK')
    await migrate({ url, migrations: nextVersion, onProgress: ignore })
    expect(await readIndex(url)).toEqual([{ isValid: true }])
  })

  it('waits for another one, and finds its work done', async () => {
    const url = await createFilled(10)
    const holder = await openSession(url)
    await holder.query('SELECT pg_advisory_lock($1)', [migrationLock])
    const { promise: isWaiting, resolve } = Promise.withResolvers<string>()
    const lines: string[] = []
    const waiting = migrate({
      url,
      migrations: nextVersion,
      onProgress(line) {
        lines.push(line)
        resolve(line)
      },
    })
    expect(await isWaiting).toContain('another "natter migrate" is running')
    expect(await readVersion(url)).toEqual([{ version: migrations.length, step: 0 }])
    await holder.query('SELECT pg_advisory_unlock($1)', [migrationLock])
    await Promise.all([waiting, migrate({ url, migrations: nextVersion, onProgress: ignore })])
    expect(await readVersion(url)).toEqual([{ version: nextVersion.length, step: 0 }])
  })

  it('lets others write while it waits for the lock of a table', async () => {
    const url = await createFilled(10)
    const reader = await openSession(url)
    await reader.query('BEGIN; SELECT 1 FROM messages')
    const migrated = migrate({ url, migrations: nextVersion, onProgress: ignore })
    await expect.poll(() => countLockWaits(url), { interval: 10, timeout: 20_000 }).toBe(1)
    await execute(url, `UPDATE messages SET text = 'b' WHERE seq = 1`)
    expect(await readVersion(url)).toEqual([{ version: migrations.length, step: 0 }])
    await reader.query('ROLLBACK')
    await migrated
    expect(await readVersion(url)).toEqual([{ version: nextVersion.length, step: 0 }])
  })

  it('refuses the address of a pooler, also where the address does not say so', async () => {
    const url = await createFilled(1)
    const pooled = Object.assign(new URL(url), { port: await startPooler(Number(new URL(url).port)) }).href
    for (const address of [`${url}?pooler=transaction`, pooled])
      await expect(migrate({ url: address, onProgress: ignore })).rejects.toThrow(
        'is the address of a connection pooler. Give this command the address of PostgreSQL itself',
      )
  })
})

describe('a node that starts', () => {
  it('works on tables that are newer by one migration, and refuses those that are newer by two', async () => {
    const url = await createDatabase(inject('postgres'))
    await migrate({ url, migrations: nextVersion, onProgress: ignore })
    const store = await createPostgresStore({ url })
    const person = await signIn(store, (await createTestTenants(store)).ours)
    expect(await store.appendVisitorMessage(person.hash, newMessage('hello'))).toMatchObject({ repeated: false })
    await store.close()
    await migrate({ url, migrations: versionAfterNext, onProgress: ignore })
    const twoBehind = createPostgresStore({ url })
    await expect(twoBehind).rejects.toThrow(
      'by a newer version of Natter: it has 2 migrations more than this version knows',
    )
  })

  it('migrates a small database by itself', async () => {
    const url = await createFilled(100)
    await start(url, nextVersion)
    expect(await countMissing(url)).toEqual([{ missing: 0 }])
    expect(await readIndex(url)).toEqual([{ isValid: true }])
  })

  it('refuses a large one that lacks what it needs, and says what to run', async () => {
    const url = await createFilled(100)
    await expect(start(url, nextVersion, 0)).rejects.toThrow('Run "natter migrate" first')
    expect(await readVersion(url)).toEqual([{ version: migrations.length, step: 0 }])
  })

  it('does not wait for the removal of what it no longer uses', async () => {
    const url = await createFilled(100)
    await migrate({ url, migrations: nextVersion, onProgress: ignore })
    await start(url, versionAfterNext, 0)
    expect(await readVersion(url)).toEqual([{ version: nextVersion.length, step: 0 }])
  })
})
