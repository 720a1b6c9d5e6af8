import { createHash } from 'node:crypto'
import { findNats, startNats, type TestNats } from '../src/platform/testing/natsServer.ts'
import { createDatabase, startPostgres, type TestPostgres } from '../src/platform/testing/postgresServer.ts'
import { createTcpProxy, type TcpProxy } from '../src/platform/testing/tcpProxy.ts'
import type { TestProcess } from '../src/testProcess.ts'
import { createDeployment, type Deployment } from './faults/deployment.ts'
import { answerTo, createLedger, type Ledger, words } from './faults/ledger.ts'
import { startWebhookReceiver } from './faults/webhookReceiver.ts'
import { startHostPage } from './hostPage.ts'
import { startLoadBalancer } from './loadBalancer.ts'

/** Nodes behind a load balancer, with one PostgreSQL, a NATS bus if NATS is installed, and a site that embeds the widget. */
export interface Cluster {
  deployment: Deployment
  /** Also records what the organization's webhook received. */
  ledger: Ledger
  siteUrl: string
  postgres: TestPostgres
  nats: TestNats | undefined
  nodes: Node[]
  stop(): Promise<void>
}

export interface Node {
  /** The proxy between the node and PostgreSQL. */
  proxy: TcpProxy
  serve(): Promise<void>
  kill(): Promise<void>
}

/** So different from each other that each matches only its own answer. */
export const questions: string[] = Array.from({ length: 3000 }, (_, index) => {
  const digits = createHash('sha256').update(`${index}`).digest('hex').slice(0, 10)
  return `${digits.replace(/\d/g, digit => 'ghklmnprtv'.charAt(Number(digit)))}${index}`
})

export async function startCluster(): Promise<Cluster> {
  const postgres = await startPostgres()
  const binary = findNats()
  const nats = binary ? await startNats(binary) : undefined
  const ledger = createLedger()
  const webhookReceiver = await startWebhookReceiver(() => deployment.eventsSecret, ledger)
  const database = await createDatabase(postgres.url)
  const deployment: Deployment = await createDeployment({
    ...{ postgres: database, nodes: 3, eventsUrl: webhookReceiver.url, origin: '*' },
    answers: Object.fromEntries([...questions, ...words].map(question => [question, answerTo(question)])),
  })
  const nodes = await Promise.all(
    deployment.apis.map(async (_, index): Promise<Node> => {
      const proxy = await createTcpProxy(database)
      const bus = nats && { NATTER_NATS_URL: nats.url }
      const environment = { NATTER_LOG_LEVEL: 'error', NATTER_DATABASE: proxy.url, ...bus }
      let program: TestProcess | undefined
      return {
        proxy,
        async serve() {
          program = await deployment.serve(environment, index)
        },
        async kill() {
          await program?.stop('SIGKILL')
        },
      }
    }),
  )
  await Promise.all(nodes.map(node => node.serve()))
  const balancer = await startLoadBalancer(deployment.apis.map(api => Number(new URL(api).port)))
  const site = await startHostPage({ baseUrl: balancer.baseUrl, botId: deployment.botId })
  return {
    ...{ deployment, ledger, siteUrl: site.url, postgres, nats, nodes },
    async stop() {
      await site.stop()
      await balancer.stop()
      await deployment.remove()
      for (const { proxy } of nodes) proxy.close()
      await webhookReceiver.close()
      nats?.signal('SIGCONT')
      await nats?.kill()
      await postgres.remove()
    },
  }
}
