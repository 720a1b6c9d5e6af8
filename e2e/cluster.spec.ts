import { setTimeout as pause } from 'node:timers/promises'
import { report, scale } from '../src/testScale.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { faultsOf } from './clusterFaults.ts'
import { prepareRevocation } from './clusterRevocation.ts'
import { ask, chat, enter, expectHeard, expectKept } from './clusterVisitors.ts'
import { type Load, newContact, newSession, work } from './faults/clients.ts'
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
// A trace of several pages would cost more than the test.
test.use({ trace: 'off' })
test.setTimeout(scale.outages.minutes * 60_000)

/** Between two calls of a client of the API, which would leave the browser no room otherwise. */
const paceMs = 100

test.describe('a cluster of which a part fails', () => {
  test('brings each message once and in order to every tab, answers it once, and ends what is revoked in time', async ({
    cluster,
    browser,
  }) => {
    const { deployment, ledger } = cluster
    let over = false
    const call: typeof deployment.call = async (...asked) => {
      await pause(paceMs)
      return deployment.call(...asked)
    }
    const load: Load = { deployment: { ...deployment, call }, ledger, isOver: () => over }
    const contactId = await newContact(load)
    const tokenOf = async (id: string) => (await newSession(load, id)).token
    const ada = await enter(cluster, browser, await tokenOf(await newContact(load)))
    const grace = await enter(cluster, browser, await tokenOf(contactId), 2)
    const [stranger, leaver] = [await enter(cluster, browser), await enter(cluster, browser)]
    const talking = Promise.all([work(load), ask(ada, load), ask(stranger, load), chat(grace, load, contactId)])

    const revoked: string[] = []
    for (let round = 0; round < scale.outages.rounds; round++) {
      const faults = faultsOf(cluster, round).slice(0, scale.outages.kinds)
      for (const { what, begin, end, isRevocable, revokedWithinMs } of faults) {
        const prepare = () => prepareRevocation(cluster, load, leaver, deployment.apis[round % 3] ?? '')
        const revoke = async (prepared: () => Promise<number>) => {
          const tookMs = await prepared()
          revoked.push(`${Math.round(tookMs)} ms (${what})`)
          expect(tookMs, what).toBeLessThan(revokedWithinMs)
        }
        const prepared = isRevocable && (await prepare())
        await begin()
        // So long it lasts.
        await Promise.all([prepared && revoke(prepared), pause(scale.outages.ms)])
        await end()
        if (!prepared) await revoke(await prepare())
        for (const visitor of [ada, stranger, grace]) await expectHeard(visitor)
      }
    }
    over = true
    await talking
    await waitUntilIdle(deployment.database)

    const conversations = await allMessages(deployment)
    for (const visitor of [ada, stranger, grace]) {
      const stored = await expectKept(visitor, conversations)
      const own = stored.filter(({ author }) => author === 'visitor')
      if (visitor !== grace) ledger.conversations.push({ messages: own.map(({ id, text }) => ({ id, word: text })) })
      for (const { id } of own) expect(ledger.told).toContain(id)
    }
    expect(await findInconsistencies(deployment, ledger)).toEqual([])
    const said = [ada, stranger, grace].map(({ said }) => [...said.values()].flat().length)
    report(
      `${said.join(', ')} messages of visitors and agents, ${ledger.acknowledged} calls acknowledged, ${ledger.lost} lost, ` +
        `${ledger.apologies} turns given up; revoked within ${revoked.join(', ')}`,
    )
  })
})
