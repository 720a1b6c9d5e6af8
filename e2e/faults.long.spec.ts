import { scale } from '../src/testScale.ts'
import type { Fault } from './faultProxy.ts'
import { expect, expectEverywhere, sweepCuts, test } from './faultyNetwork.ts'

test.setTimeout(scale.proxiedMinutes * 60_000)

test.describe('a faulty network', () => {
  for (const [what, direction] of [
    ['a sent message', 'requestBytes'],
    ['the response to a message', 'responseBytes'],
  ] as const) {
    test(`delivers each message once and in order when ${what} is cut, after ever more bytes`, ({ proxiedChat }) =>
      sweepCuts(proxiedChat, direction, /^(?!POST .*\/events\/stream )/))
  }

  // A connection that carried a message may be reused for the stream, so all connections are cut.
  test('delivers each message once and in order when connections are cut, after ever more bytes', ({ proxiedChat }) =>
    sweepCuts(proxiedChat, 'responseBytes', /^/))

  test('catches up after two hours of sleep and sends the pending message once', async ({ proxiedChat, context }) => {
    await context.clock.install()
    await proxiedChat.sendAsAgent('agent 0')
    const tabs = [await proxiedChat.openTab(), await proxiedChat.openTab()]
    const sent = ['agent 0']
    proxiedChat.proxy.plan(() => ({ responseBytes: 0, by: 'stall' }))
    proxiedChat.proxy.breakAll('stall')
    await tabs[0]?.say('visitor 1')
    sent.push('visitor 1')
    // More messages than a stream replays.
    for (let count = 1; count <= 210; count++) {
      sent.push(`agent ${count}`)
      await proxiedChat.sendAsAgent(`agent ${count}`)
    }
    proxiedChat.proxy.plan(() => ({}))
    proxiedChat.proxy.resetStalled()
    await context.clock.fastForward('02:00:00')
    await expectEverywhere(proxiedChat, tabs, sent)
  })

  for (const by of ['stall', 'reset'] as const) {
    const faults = [0, 1, 150, 400, 800].flatMap((bytes): Fault[] => [
      { responseBytes: bytes, by },
      { requestBytes: bytes, by },
    ])
    test(`delivers each message once and in order over connections that end with a ${by}`, async ({
      proxiedChat,
      context,
    }) => {
      await context.clock.install()
      await proxiedChat.sendAsAgent('agent 0')
      const tab = await proxiedChat.openTab()
      const sent = ['agent 0']
      for (const [count, fault] of faults.entries()) {
        // Several messages at once, so that there is an order to keep.
        const burst = [1, 2, 3].map(part => `visitor ${count}.${part}`)
        sent.push(...burst, `agent ${count + 1}`)
        let connections = 0
        proxiedChat.proxy.resetStalled()
        proxiedChat.proxy.plan(() => (connections++ ? {} : fault))
        proxiedChat.proxy.breakAll(by)
        await Promise.all([...burst.map(text => tab.say(text)), proxiedChat.sendAsAgent(`agent ${count + 1}`)])
        // Fast-forward past the silence timeout, then give the retried requests some real time.
        await expect(async () => {
          await context.clock.fastForward(36_000)
          await expect.poll(() => tab.hasReceived(`visitor ${count}.3`), { timeout: 800, intervals: [50] }).toBe(true)
        }).toPass()
      }
      await expectEverywhere(proxiedChat, [tab], sent)
    })
  }
})
