import { scale } from '../src/testScale.ts'
import type { Fault } from './faultProxy.ts'
import { expect, type ProxiedChat, test, type WidgetTab } from './faultyNetwork.ts'

test.setTimeout(scale.proxiedMinutes * 60_000)

/** Sends a message and waits until the tab receives it from the platform. */
async function say(tab: WidgetTab, text: string): Promise<void> {
  await tab.say(text)
  await expect.poll(() => tab.hasReceived(text), { timeout: 30_000, intervals: [20] }).toBe(true)
}

/** Makes the widget retry immediately, as when the visitor keeps returning to the tab. */
const keepRetrying = ({ page }: WidgetTab) =>
  page.evaluate(() => {
    setInterval(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })), 50)
  })

async function expectEverywhere(proxiedChat: ProxiedChat, tabs: WidgetTab[], sent: string[]): Promise<void> {
  const missing = async () => {
    const stored = await proxiedChat.stored()
    return sent.filter(text => !stored.includes(text))
  }
  await expect.poll(missing, { timeout: 30_000 }).toEqual([])
  const stored = await proxiedChat.stored()
  expect(stored.toSorted()).toEqual(sent.toSorted())
  expect(own(stored)).toEqual(own(sent))
  for (const tab of tabs) await tab.expectAll(stored)
}

const own = (texts: string[]): string[] => texts.filter(text => text.startsWith('visitor'))

test.describe('a faulty network', () => {
  const sweeps = [
    { what: 'a sent message', direction: 'requestBytes', cut: /^(?!POST .*\/events\/stream )/ },
    { what: 'the response to a message', direction: 'responseBytes', cut: /^(?!POST .*\/events\/stream )/ },
    // A connection that carried a message may be reused for a stream, so all connections are cut.
    { what: 'the stream', direction: 'responseBytes', cut: /^/ },
  ] as const
  for (const { what, direction, cut } of sweeps) {
    test(`delivers each message once and in order when ${what} is cut, after any number of bytes`, async ({
      proxiedChat,
    }) => {
      const { upTo, step } = scale.cuts
      await proxiedChat.sendAsAgent('agent 0')
      const tab = await proxiedChat.openTab()
      await keepRetrying(tab)
      let connections = 0
      let cutAfter = 0
      proxiedChat.proxy.plan(request => {
        if (!cut.test(request)) return {}
        // A page of the history is longer than the other responses.
        if (/^POST .*\/messages\/list /.test(request)) return { [direction]: 20 * upTo }
        // Every second connection lives just long enough for one message to get through.
        if (connections++ % 2) return { [direction]: upTo }
        cutAfter += step
        return { [direction]: cutAfter - step }
      })
      proxiedChat.proxy.breakAll('close')
      const sent = ['agent 0']
      for (let count = 1; cutAfter <= upTo; count++) {
        sent.push(`visitor ${count}`, `agent ${count}`)
        await Promise.all([say(tab, `visitor ${count}`), proxiedChat.sendAsAgent(`agent ${count}`)])
      }
      expect(proxiedChat.proxy.broken()).toBeGreaterThan(upTo / step)
      await expectEverywhere(proxiedChat, [tab], sent)
      console.info(`${proxiedChat.proxy.broken()} connections cut, ${sent.length} messages`)
    })
  }

  test('delivers a complete reply when it arrives in small chunks, and only once when every request arrives twice', async ({
    proxiedChat,
    client,
  }) => {
    let connections = 0
    proxiedChat.proxy.plan(() => ({ chunkSize: 1 + (connections++ % 7), duplicate: true }))
    const { chat } = await proxiedChat.openTab()
    await chat.ask('How do I return something?', /30 days/)
    await chat.ask('Which payment methods do you take?', /card/i)
    const stored = await client.conversations.messages.list({ contactId: proxiedChat.contactId })
    expect(stored.map(({ author }) => author)).toEqual(['visitor', 'bot', 'visitor', 'bot'])
    await expect(chat.transcript.getByText('How do I return something?')).toHaveCount(1)
    for (const text of stored[1]?.text.split('\n').filter(Boolean) ?? [])
      await expect(chat.transcript).toContainText(text.replace(/^- /, ''))
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
})
