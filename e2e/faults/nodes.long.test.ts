import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findNats, startNats } from '../../src/platform/testing/natsServer.ts'
import { createDatabase, startPostgres } from '../../src/platform/testing/postgresServer.ts'
import { createTcpProxy } from '../../src/platform/testing/tcpProxy.ts'
import { report } from '../../src/testScale.ts'
import { runClients } from './clients.ts'
import { expireLeases, findInconsistencies, waitUntilIdle } from './consistency.ts'
import { createDeployment, type Deployment } from './deployment.ts'
import { answers, createLedger, summarize } from './ledger.ts'
import { startWebhookReceiver } from './webhookReceiver.ts'

const kills = 100

describe('three nodes under load on one PostgreSQL', () => {
  it('lose nothing that was acknowledged and apply no write partially or twice, when nodes, PostgreSQL or the bus are killed or stopped, or a node loses PostgreSQL', async () => {
    const postgres = await startPostgres()
    onTestFinished(postgres.remove)
    const binary = findNats()
    const nats = binary ? await startNats(binary) : undefined
    onTestFinished(() => nats?.kill())
    const ledger = createLedger()
    const webhookReceiver = await startWebhookReceiver(() => deployment.eventsSecret, ledger)
    onTestFinished(webhookReceiver.close)
    const deployment: Deployment = await createDeployment({
      postgres: await createDatabase(postgres.url),
      nodes: 3,
      eventsUrl: webhookReceiver.url,
      answers,
    })
    onTestFinished(deployment.remove)
    const line = await createTcpProxy(deployment.database)
    onTestFinished(line.close)
    const environment = { NATTER_LOG_LEVEL: 'error', NATTER_DRAIN: '1', ...(nats && { NATTER_NATS_URL: nats.url }) }
    const proxiedEnvironment = { ...environment, NATTER_DATABASE: line.url }
    const serve = (node: number) => deployment.serve(node ? environment : proxiedEnvironment, node)
    let nodes = await Promise.all([0, 1, 2].map(serve))
    let isOver = false
    const working = runClients({ deployment, ledger, isOver: () => isOver })
    for (let kill = 1; kill <= kills; kill++) {
      await pause(randomInt(200, 1500))
      if (kill % 4 === 0) {
        await postgres.kill()
        await pause(randomInt(500))
        await postgres.start()
      } else if (kill % 5 === 0 && nats) {
        await nats.kill()
        await pause(randomInt(2000))
        await nats.start()
      } else if (kill % 6 === 0) {
        // An upsert whose connection is cut is answered only at its deadline, 30 s later.
        if (kill % 12 === 0) line.cut()
        else line.stall()
        await pause(randomInt(30_000))
        line.mend()
      } else {
        const node = kill % 3
        await nodes[node]?.stop(kill % 2 ? 'SIGKILL' : 'SIGTERM')
        nodes[node] = await serve(node)
      }
    }
    isOver = true
    await working
    await Promise.all(nodes.map(node => node.stop()))
    await expireLeases(deployment.database)
    nodes = await Promise.all([0, 1, 2].map(serve))
    await waitUntilIdle(deployment.database)
    expect(await findInconsistencies(deployment, ledger)).toEqual([])
    await Promise.all(nodes.map(node => node.stop()))
    report(`${kills} kills, ${summarize(ledger)}`)
  }, 3_600_000)
})
