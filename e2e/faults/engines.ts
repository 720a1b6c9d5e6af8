import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { TestContext } from 'vitest'
import { countLockWaits, createDatabase, startPostgres } from '../../src/platform/testing/postgresServer.ts'
import { createDeployment, type Deployment } from './deployment.ts'

/** A deployment whose database can be made to wait. */
export interface Engine {
  deployment: Deployment
  /** Makes calls of the store wait until the returned function is called. */
  block(): Promise<() => Promise<unknown>>
  /** Whether a call waits. */
  isWaiting(): Promise<boolean>
}

/** Both engines, by the names that a test shows. They are removed when the test of the context ends. */
export const engines = [
  ['a file', onFile],
  ['PostgreSQL', onPostgres],
] as const

async function onFile({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Engine> {
  const deployment = await createDeployment({ nodes: 2 })
  onTestFinished(deployment.remove)
  return {
    deployment,
    async block() {
      const other = new DatabaseSync(deployment.database, { timeout: 10_000 })
      other.exec('BEGIN IMMEDIATE')
      return async () => other.close()
    },
    isWaiting: async () => (await readQueueDepth(deployment.api)) > 0,
  }
}

async function onPostgres({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Engine> {
  const postgres = await startPostgres()
  onTestFinished(postgres.remove)
  const url = await createDatabase(postgres.url)
  const deployment = await createDeployment({ nodes: 2, postgres: url })
  onTestFinished(deployment.remove)
  return {
    deployment,
    async block() {
      const other = new Client({ connectionString: url })
      await other.connect()
      await other.query('BEGIN; LOCK TABLE organization_tokens IN ACCESS EXCLUSIVE MODE')
      return () => other.end()
    },
    isWaiting: async () => (await countLockWaits(url)) > 0,
  }
}

/** The number of calls that wait for the database, as the metrics of a node say. */
export async function readQueueDepth(api: string): Promise<number> {
  const metrics = await (await fetch(`${new URL(api).origin}/metrics`)).text()
  return Number(/^natter_store_queue_depth (\d+)/m.exec(metrics)?.[1])
}
