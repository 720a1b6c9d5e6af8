import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { report } from '../../src/testScale.ts'
import { runClients } from './clients.ts'
import { expireLeases, findInconsistencies, waitUntilIdle } from './consistency.ts'
import { createDeployment, type Deployment } from './deployment.ts'
import { answers, createLedger, summarize } from './ledger.ts'
import { startWebhookReceiver } from './webhookReceiver.ts'

const kills = 200

describe('kill -9 under load', () => {
  it('loses nothing that was acknowledged and applies no write partially or twice', async () => {
    const ledger = createLedger()
    const webhookReceiver = await startWebhookReceiver(() => deployment.eventsSecret, ledger)
    onTestFinished(webhookReceiver.close)
    const deployment: Deployment = await createDeployment({
      eventsUrl: webhookReceiver.url,
      answers,
    })
    onTestFinished(deployment.remove)
    let server = await deployment.serve()
    let isOver = false
    const working = runClients({ deployment, ledger, isOver: () => isOver })
    for (let kill = 1; kill <= kills; kill++) {
      // Some processes live long enough to continue the turns of killed ones.
      await pause(kill % 4 ? randomInt(100, 1000) : randomInt(2000, 4000))
      await server.stop('SIGKILL')
      // The leases of all other processes expire while the next ones run.
      if (kill === kills) await expireLeases(deployment.database)
      server = await deployment.serve()
    }
    isOver = true
    await working
    await waitUntilIdle(deployment.database)
    expect(await findInconsistencies(deployment, ledger)).toEqual([])
    await server.stop()
    report(`${kills} kills, ${summarize(ledger)}`)
    expect(ledger.lost).toBeGreaterThan(kills)
  }, 3_600_000)
})
