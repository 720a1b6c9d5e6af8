import { setTimeout as pause } from 'node:timers/promises'
import { report, scale } from '../src/testScale.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { listFaults } from './clusterFaults.ts'
import { prepareRevocation } from './clusterRevocation.ts'
import { askBot, chatWithAgent, expectReceived, expectStored, openVisitor } from './clusterVisitors.ts'
import { type Load, newContact, newSession, runClients } from './faults/clients.ts'
import { allMessages, findInconsistencies, waitUntilIdle } from './faults/consistency.ts'
import { test as base, expect } from './fixtures.ts'

const test = base.extend<{ cluster: Cluster }>({
  cluster: async ({ browser }, use) => {
    const cluster = await startCluster()
    await use(cluster)
    for (const context of browser.contexts()) await context.close()
    await cluster.stop()
  },
})
test.setTimeout(60 * 60_000)

/** The first of the nodes that fail. */
const firstNode = scale.seed % 3
/** How long a fault lasts. */
const faultMs = 30_000

/** Pause before each call of an API client. Without it the clients leave the browser too little CPU. */
const paceMs = 100

test.describe('a cluster with failing parts', () => {
  test('delivers each message once and in order to every tab, replies once, and ends revoked sessions in time', async ({
    cluster,
    browser,
  }) => {
    const { deployment, ledger } = cluster
    let isOver = false
    const call: typeof deployment.call = async (...args) => {
      await pause(paceMs)
      return deployment.call(...args)
    }
    const load: Load = { deployment: { ...deployment, call }, ledger, isOver: () => isOver }
    const contactId = await newContact(load)
    const tokenOf = async (id: string) => (await newSession(load, id)).token
    const ada = await openVisitor(cluster, browser, await tokenOf(await newContact(load)))
    const grace = await openVisitor(cluster, browser, await tokenOf(contactId), 2)
    const [stranger, leaver] = [await openVisitor(cluster, browser), await openVisitor(cluster, browser)]
    const talking = Promise.all([
      runClients(load),
      askBot(ada, load),
      askBot(stranger, load),
      chatWithAgent(grace, load, contactId),
    ])

    const revoked: string[] = []
    const faults = listFaults(cluster, firstNode)
    for (const { what, begin, end, isRevocable } of faults) {
      const prepare = () => prepareRevocation(cluster, load, leaver, deployment.apis[firstNode] ?? '')
      const revoke = async (prepared: () => Promise<number>) => {
        const tookMs = await prepared()
        revoked.push(`${Math.round(tookMs)} ms (${what})`)
        // Far below the 35 s of silence after which a widget reconnects by itself. `bench:cluster` measures how soon it is.
        expect(tookMs, what).toBeLessThan(10_000)
      }
      const prepared = isRevocable && (await prepare())
      await begin()
      // The fault lasts this long.
      await Promise.all([prepared && revoke(prepared), pause(faultMs)])
      await end()
      if (!prepared) await revoke(await prepare())
      for (const visitor of [ada, stranger, grace]) await expectReceived(visitor)
    }
    isOver = true
    await talking
    // The widget sends one message at a time, so some may still wait.
    for (const visitor of [ada, stranger, grace]) await expectReceived(visitor)
    await waitUntilIdle(deployment.database)

    const conversations = await allMessages(deployment)
    for (const visitor of [ada, stranger, grace]) {
      const stored = await expectStored(visitor, conversations)
      const own = stored.filter(({ author }) => author === 'visitor')
      if (visitor !== grace) ledger.conversations.push({ messages: own.map(({ id, text }) => ({ id, word: text })) })
      for (const { id } of own) expect(ledger.webhookMessageIds).toContain(id)
    }
    expect(await findInconsistencies(deployment, ledger)).toEqual([])
    const sentCounts = [ada, stranger, grace].map(({ sentByAuthor }) => [...sentByAuthor.values()].flat().length)
    report(
      `${sentCounts.join(', ')} messages of visitors and agents, ${ledger.acknowledged} calls acknowledged, ${ledger.lost} lost, ` +
        `${ledger.abandonedTurns} turns given up; revoked within ${revoked.join(', ')}`,
    )
  })
})
