import { join } from 'node:path'
import { findNats, startNats } from '../../../src/platform/testing/natsServer.ts'
import { createDatabase, execute, startPostgres } from '../../../src/platform/testing/postgresServer.ts'
import { createBot, createTenant, familyCpuMs, folder, root, type Server, startNatter } from '../processes.ts'
import { type Cost, subtractCost } from './cost.ts'

/** Nodes on one durable PostgreSQL, with NATS between them. */
export interface Deployment {
  botId: string
  /** So many bots that each stays below its limit of replies per minute. */
  bots: string[]
  token: string
  nodes: Server[]
  /** Stops the nodes and starts new ones. */
  restartNodes(): Promise<void>
  killNats(): Promise<void>
  /** Measures the cost of an action: of the first `nodes` nodes, PostgreSQL and NATS. */
  measure<Result>(nodes: number, action: () => Promise<Result>): Promise<{ cost: Cost; result: Result }>
  /** Connections to PostgreSQL that the first `nodes` nodes hold. */
  countConnections(nodes: number): Promise<number>
  /** Makes PostgreSQL do its deferred work now, so that it does not count towards the next measurement. */
  vacuumAndCheckpoint(): Promise<void>
  /** Runs a statement and resolves to its first row. */
  queryRow<Row>(text: string): Promise<Row>
  stop(): Promise<void>
}

/** The numbers of nodes to compare. */
export const sizes = [1, 2, 4]
const largest = 4

export async function startDeployment(): Promise<Deployment> {
  const binary = findNats()
  if (!binary) throw new Error('This benchmark needs a nats-server. Set NATTER_NATS to its path.')
  const [postgres, nats] = await Promise.all([startPostgres({ isDurable: true }), startNats(binary)])
  // Kill both however the benchmark exits.
  const started = new Set([postgres, nats])
  const endBoth = () => {
    for (const { pid } of started) process.kill(pid, 'SIGQUIT')
  }
  process.once('exit', endBoth)
  const database = await createDatabase(postgres.url)
  const { organizationId, botId, token } = createTenant(database)
  const bots = Array.from({ length: 25 }, () => createBot(database, organizationId))
  const startNode = (_: unknown, index: number): Promise<Server> => {
    // Each node has its own application name, so that its connections can be counted.
    const search = `?application_name=node${index}`
    const variables = {
      NATTER_NATS_URL: nats.url,
      NATTER_CONTENT: join(root, 'demo/content'),
      NATTER_DRAIN: '0',
    }
    const logFile = join(folder, `cluster-node${index}.log`)
    return startNatter(Object.assign(new URL(database), { search }).href, { logFile, variables })
  }
  const startNodes = () => Promise.all(Array.from({ length: largest }, startNode))
  const nodes = await startNodes()
  const queryRow = async <Row>(text: string) => (await execute(database, text))[0] as Row
  const readTotals = async (nodeCount: number): Promise<Cost> => {
    const { wal } = await queryRow<{ wal: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS wal`)
    return {
      nodeMs: nodes.slice(0, nodeCount).reduce((sum, { pid }) => sum + familyCpuMs(pid), 0),
      postgresMs: familyCpuMs(postgres.pid),
      natsMs: started.has(nats) ? familyCpuMs(nats.pid) : 0,
      walBytes: Number(wal),
    }
  }

  return {
    ...{ botId, bots, token, nodes, queryRow },
    async restartNodes() {
      await Promise.all(nodes.map(node => node.stop()))
      nodes.splice(0, nodes.length, ...(await startNodes()))
    },
    async killNats() {
      started.delete(nats)
      await nats.kill()
    },
    async measure(nodeCount, action) {
      const before = await readTotals(nodeCount)
      const result = await action()
      return { cost: subtractCost(await readTotals(nodeCount), before), result }
    },
    async countConnections(nodeCount) {
      const names = Array.from({ length: nodeCount }, (_, index) => `'node${index}'`)
      const { held } = await queryRow<{ held: string }>(
        `SELECT count(*) AS held FROM pg_stat_activity WHERE application_name IN (${names})`,
      )
      return Number(held)
    },
    async vacuumAndCheckpoint() {
      await queryRow('VACUUM ANALYZE')
      await queryRow('CHECKPOINT')
    },
    async stop() {
      process.off('exit', endBoth)
      await Promise.all(nodes.map(node => node.stop()))
      await Promise.all([nats.kill(), postgres.remove()])
    },
  }
}
