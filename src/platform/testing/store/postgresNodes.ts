import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject, onTestFinished } from 'vitest'
import { createPostgresStore } from '../../store/postgres/postgresStore.ts'
import type { Store, UpsertEntry } from '../../store/store.ts'
import { createStoreDatabase } from '../postgresServer.ts'
import { at, createTestTenants } from './storeTenants.ts'

type Nodes = [Store, ...Store[]]

/** So many nodes on a new database, with tenants. They are closed when the test has finished, if not before. */
export async function openNodes(count = 1) {
  const url = await createStoreDatabase(inject('postgres'))
  const nodes = (await Promise.all(Array.from({ length: count }, () => createPostgresStore({ url })))) as Nodes
  const close = async () => void (await Promise.all(nodes.map(node => node.close())))
  onTestFinished(close)
  return { url, nodes, close, ...(await createTestTenants(nodes[0])) }
}

/** A session of another program, which holds its locks until the test has finished or it has ended its transaction. */
export async function openSession(url: string, statements = 'BEGIN'): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(statements)
  return client
}

/** Runs the function so many times concurrently, on the nodes in turn. */
export const spread = <Result>(nodes: Nodes, count: number, run: (node: Store, index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(nodes[index % nodes.length] ?? nodes[0], index)))

export const newEntry = (email: string): UpsertEntry => {
  return { id: randomUUID(), name: 'Ada', email, emailKey: email, createdAt: at(5), updatedAt: at(5) }
}
