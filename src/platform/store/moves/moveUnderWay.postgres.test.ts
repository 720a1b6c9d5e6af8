import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { countLockWaits, createDatabase, execute } from '../../testing/postgresServer.ts'
import { fillOrganization } from '../../testing/store/fillOrganization.ts'
import { at, createTestTenants, newMessage } from '../../testing/store/storeTenants.ts'
import { openPostgresMoveDatabase } from '../postgres/moveDatabase.ts'
import { createPostgresStore } from '../postgres/postgresStore.ts'
import type { Store } from '../store.ts'
import { copyOrganization, type OrganizationMove } from './moveOrganization.ts'

const ignore = (): void => {}

async function openStore(url: string): Promise<Store> {
  const store = await createPostgresStore({ url })
  onTestFinished(store.close)
  return store
}

async function setUp() {
  const [from, to] = [await createDatabase(inject('postgres')), await createDatabase(inject('postgres'))]
  const source = await openStore(from)
  const { ours } = await createTestTenants(source)
  return { from, to, source, organizationId: ours.organizationId, ...(await fillOrganization(source, ours)) }
}

async function openMove(organizationId: string, from: string, to: string): Promise<OrganizationMove> {
  const move = {
    organizationId,
    from: await openPostgresMoveDatabase(from, ignore),
    to: await openPostgresMoveDatabase(to, ignore),
  }
  onTestFinished(async () => {
    await Promise.all([move.from.close(), move.to.close()])
  })
  return move
}

async function openSession(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it('takes along a write that was under way when it began', async () => {
  const { from, to, organizationId, person } = await setUp()
  const writer = await openSession(from)
  await writer.query(
    `BEGIN; UPDATE conversations SET last_seq = 99 WHERE id = '${person.conversationId}';
     INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
     VALUES ('${person.conversationId}', 99, 'late', 'visitor', 'under way', 'plain', '${at(5)}')`,
  )
  const copied = copyOrganization(await openMove(organizationId, from, to), { onProgress: ignore })
  await expect.poll(() => countLockWaits(from), { interval: 10, timeout: 20_000 }).toBe(1)
  await writer.query('COMMIT')
  await copied
  expect(await execute(to, `SELECT text FROM messages WHERE id = 'late'`)).toEqual([{ text: 'under way' }])
})

it('leaves nothing in the new database when it is killed, and the old one takes writes again', async () => {
  const { from, to, source, organizationId, person } = await setUp()
  const target = await openStore(to)
  const holder = await openSession(to)
  // The copy cannot be done before it is killed.
  await holder.query(`BEGIN; INSERT INTO organizations VALUES ('${organizationId}', 'n', '${at(0)}')`)
  const file = fileURLToPath(new URL('../../testing/store/copyProcess.ts', import.meta.url))
  const args = ['--disable-warning=ExperimentalWarning', file, organizationId, from, to, '10000']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => countLockWaits(to), { interval: 10, timeout: 20_000 }).toBe(1)
  const send = () => source.appendVisitorMessage(person.hash, newMessage('again'))
  await expect(send()).rejects.toThrow('is being moved to another database')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await holder.query('ROLLBACK')
  await vi.waitFor(send, { timeout: 20_000 })
  expect(await target.listOrganizations()).toEqual([])
  await vi.waitFor(async () => copyOrganization(await openMove(organizationId, from, to), { onProgress: ignore }), {
    timeout: 20_000,
  })
  expect(await target.listOrganizations()).toHaveLength(1)
})

it('stays closed while a batch takes longer than the lease', async () => {
  const { from, to, source, organizationId, person } = await setUp()
  const target = await openStore(to)
  const holder = await openSession(to)
  await holder.query(`BEGIN; INSERT INTO organizations VALUES ('${organizationId}', 'n', '${at(0)}')`)
  const copied = copyOrganization(await openMove(organizationId, from, to), { onProgress: ignore, leaseMs: 2000 })
  const leaseEnd = async () => {
    const [move] = await execute(from, 'SELECT reopens_at FROM organization_moves')
    return Number(move?.['reopens_at'])
  }
  await expect.poll(leaseEnd, { interval: 10, timeout: 20_000 }).toBeGreaterThan(0)
  const firstEnd = await leaseEnd()
  await expect.poll(leaseEnd, { interval: 50, timeout: 20_000 }).toBeGreaterThan(firstEnd + 2000)
  await expect(source.markRead(person.hash, 1, at(9))).rejects.toThrow('is being moved to another database')
  await holder.query('ROLLBACK')
  await copied
  expect(await target.listOrganizations()).toHaveLength(1)
})

it('notices that it was stopped for so long that writes went on, and keeps nothing', async () => {
  const { from, to, source, organizationId, person } = await setUp()
  const target = await openStore(to)
  const move = await openMove(organizationId, from, to)
  // As in a process that is stopped: nothing renews the lease, and nothing notices that it has ended.
  const stopped = copyOrganization(
    {
      ...move,
      from: {
        ...move.from,
        renewLease: async () => true,
        read: (id, use) =>
          move.from.read(id, async reader => {
            await vi.waitFor(() => source.markRead(person.hash, 1, at(9)), { timeout: 20_000 })
            return use(reader)
          }),
      },
    },
    { onProgress: ignore, leaseMs: 3000 },
  )
  await expect(stopped).rejects.toThrow('takes writes of the organization again. Nothing was kept; try again.')
  expect(await target.listOrganizations()).toEqual([])
})

it('refuses writes of clients that search other schemas first', async () => {
  const { from, to, organizationId } = await setUp()
  await copyOrganization(await openMove(organizationId, from, to), { onProgress: ignore })
  const client = await openSession(from)
  await client.query(`SET search_path = pg_catalog`)
  const write = client.query('UPDATE public.contacts SET name = $1', ['Eve'])
  await expect(write).rejects.toThrow('is being moved to another database')
})

it('leaves no connection behind if it cannot wait for another command', async () => {
  const url = await createDatabase(inject('postgres'))
  const first = await openPostgresMoveDatabase(url, ignore)
  onTestFinished(first.close)
  const second = openPostgresMoveDatabase(url, () => {
    throw new Error('stderr is closed')
  })
  await expect(second).rejects.toThrow('stderr is closed')
  const open = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'natter copy'`
  await expect.poll(() => execute(url, open), { interval: 10, timeout: 20_000 }).toHaveLength(1)
})
