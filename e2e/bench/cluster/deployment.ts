import { join } from 'node:path'
import { findNats, startNats } from '../../../src/platform/testing/natsServer.ts'
import { createDatabase, execute, startPostgres } from '../../../src/platform/testing/postgresServer.ts'
import { createBot, createTenant, familyCpuMs, folder, root, type Server, startNatter } from '../processes.ts'
import { type Cost, without } from './cost.ts'

/** Nodes as anyone would run them, on one PostgreSQL that keeps what it has acknowledged, and a NATS between them. */
export interface Deployment {
  botId: string
  /** As many as it takes for each to stay below the limit of its answers in a minute. */
  bots: string[]
  token: string
  nodes: Server[]
  /** Ends the nodes and starts as many anew. */
  renew(): Promise<void>
  killNats(): Promise<void>
  /** What the first so many nodes, PostgreSQL and NATS take for something. */
  measure<Result>(nodes: number, act: () => Promise<Result>): Promise<{ cost: Cost; result: Result }>
  /** Connections that the first so many nodes hold. */
  countConnections(nodes: number): Promise<number>
  /** Lets PostgreSQL do now what it would do later by itself, so that whoever is measured next does not pay for it. */
  settle(): Promise<void>
  /** Runs a statement; resolves to its first row. */
  ask<Row>(text: string): Promise<Row>
  stop(): Promise<void>
}

/** The numbers of nodes that are compared. */
export const sizes = [1, 2, 4]
const largest = 4

export async function startDeployment(): Promise<Deployment> {
  const binary = findNats()
  if (!binary) throw new Error('Many nodes need a nats-server: let NATTER_NATS name one.')
  const [postgres, nats] = await Promise.all([startPostgres({ isDurable: true }), startNats(binary)])
  // Whatever ends the bench, neither outlives it.
  const started = new Set([postgres, nats])
  const endBoth = () => {
    for (const { pid } of started) process.kill(pid, 'SIGQUIT')
  }
  process.once('exit', endBoth)
  const database = await createDatabase(postgres.url)
  const { organizationId, botId, token } = createTenant(database)
  const bots = Array.from({ length: 25 }, () => createBot(database, organizationId))
  const startNode = (_: unknown, index: number): Promise<Server> => {
    // Each says which it is, so that its connections can be counted.
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
  const ask = async <Row>(text: string) => (await execute(database, text))[0] as Row
  const spent = async (many: number): Promise<Cost> => {
    const { wal } = await ask<{ wal: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS wal`)
    return {
      nodeMs: nodes.slice(0, many).reduce((sum, { pid }) => sum + familyCpuMs(pid), 0),
      postgresMs: familyCpuMs(postgres.pid),
      natsMs: started.has(nats) ? familyCpuMs(nats.pid) : 0,
      walBytes: Number(wal),
    }
  }

  return {
    ...{ botId, bots, token, nodes, ask },
    async renew() {
      await Promise.all(nodes.map(node => node.stop()))
      nodes.splice(0, nodes.length, ...(await startNodes()))
    },
    async killNats() {
      started.delete(nats)
      await nats.kill()
    },
    async measure(many, act) {
      const before = await spent(many)
      const result = await act()
      return { cost: without(await spent(many), before), result }
    },
    async countConnections(many) {
      const names = Array.from({ length: many }, (_, index) => `'node${index}'`)
      const { held } = await ask<{ held: string }>(
        `SELECT count(*) AS held FROM pg_stat_activity WHERE application_name IN (${names})`,
      )
      return Number(held)
    },
    async settle() {
      await ask('VACUUM ANALYZE')
      await ask('CHECKPOINT')
    },
    async stop() {
      process.off('exit', endBoth)
      await Promise.all(nodes.map(node => node.stop()))
      await Promise.all([nats.kill(), postgres.remove()])
    },
  }
}
