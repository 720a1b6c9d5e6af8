import { scale } from '../src/testScale.ts'
import type { Fault } from './faultProxy.ts'
import { expect, type Tab, type Talk, test } from './faultyNetwork.ts'

test.setTimeout(scale.proxiedMinutes * 60_000)

/** Says it and waits until the tab has heard that the platform has it. */
async function say(tab: Tab, text: string): Promise<void> {
  await tab.say(text)
  await expect.poll(() => tab.hasHeard(text), { timeout: 30_000, intervals: [20] }).toBe(true)
}

/** Has the widget look at once whether it can go on, as when the visitor comes back to the tab again and again. */
const beImpatient = ({ page }: Tab) =>
  page.evaluate(() => {
    setInterval(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })), 50)
  })

async function expectAllEverywhere(talk: Talk, tabs: Tab[], said: string[]): Promise<void> {
  const missing = async () => {
    const stored = await talk.stored()
    return said.filter(text => !stored.includes(text))
  }
  await expect.poll(missing, { timeout: 30_000 }).toEqual([])
  const stored = await talk.stored()
  expect(stored.toSorted()).toEqual(said.toSorted())
  expect(own(stored)).toEqual(own(said))
  for (const tab of tabs) await tab.expectAll(stored)
}

const own = (texts: string[]): string[] => texts.filter(text => text.startsWith('visitor'))

test.describe('a network that does harm', () => {
  const sweeps = [
    { what: 'a message that is sent', direction: 'asked', cut: /^(?!POST .*\/events\/stream )/ },
    { what: 'the answer to a message', direction: 'answered', cut: /^(?!POST .*\/events\/stream )/ },
    // A connection that a message has come on may take a stream after it, and so they are all cut.
    { what: 'the stream', direction: 'answered', cut: /^/ },
  ] as const
  for (const { what, direction, cut } of sweeps) {
    test(`brings each message once and in order, after however many bytes ${what} is cut`, async ({ talk }) => {
      const { upTo, step } = scale.cuts
      await talk.agentSays('agent 0')
      const tab = await talk.openTab()
      await beImpatient(tab)
      let connections = 0
      let cutAfter = 0
      talk.proxy.plan(request => {
        if (!cut.test(request)) return {}
        // A page of the history is longer than all that is cut.
        if (/^POST .*\/messages\/list /.test(request)) return { [direction]: 20 * upTo }
        // Every other one lives long enough for a message to get through, and no longer.
        if (connections++ % 2) return { [direction]: upTo }
        cutAfter += step
        return { [direction]: cutAfter - step }
      })
      talk.proxy.breakAll('close')
      const said = ['agent 0']
      for (let count = 1; cutAfter <= upTo; count++) {
        said.push(`visitor ${count}`, `agent ${count}`)
        await Promise.all([say(tab, `visitor ${count}`), talk.agentSays(`agent ${count}`)])
      }
      expect(talk.proxy.broken()).toBeGreaterThan(upTo / step)
      await expectAllEverywhere(talk, [tab], said)
      console.info(`${talk.proxy.broken()} connections cut, ${said.length} messages`)
    })
  }

  test('brings a reply whole when it arrives in slices, and once when every request arrives twice', async ({
    talk,
    client,
  }) => {
    let connections = 0
    talk.proxy.plan(() => ({ slice: 1 + (connections++ % 7), twice: true }))
    const { chat } = await talk.openTab()
    await chat.ask('How do I return something?', /30 days/)
    await chat.ask('Which payment methods do you take?', /card/i)
    const stored = await client.conversations.messages.list({ contactId: talk.contactId })
    expect(stored.map(({ author }) => author)).toEqual(['visitor', 'bot', 'visitor', 'bot'])
    await expect(chat.transcript.getByText('How do I return something?')).toHaveCount(1)
    for (const text of stored[1]?.text.split('\n').filter(Boolean) ?? [])
      await expect(chat.transcript).toContainText(text)
  })

  for (const by of ['stall', 'reset'] as const) {
    const faults = [0, 1, 150, 400, 800].flatMap((bytes): Fault[] => [
      { answered: bytes, by },
      { asked: bytes, by },
    ])
    test(`brings each message once and in order over connections that end by ${by}`, async ({ talk, context }) => {
      await context.clock.install()
      await talk.agentSays('agent 0')
      const tab = await talk.openTab()
      const said = ['agent 0']
      for (const [count, fault] of faults.entries()) {
        // Several at once: only then is there an order to be kept.
        const burst = [1, 2, 3].map(part => `visitor ${count}.${part}`)
        said.push(...burst, `agent ${count + 1}`)
        let connections = 0
        talk.proxy.bury()
        talk.proxy.plan(() => (connections++ ? {} : fault))
        talk.proxy.breakAll(by)
        await Promise.all([...burst.map(text => tab.say(text)), talk.agentSays(`agent ${count + 1}`)])
        // Nobody waits in real time for the silence to be noticed; what is asked then is given some.
        await expect(async () => {
          await context.clock.fastForward(36_000)
          await expect.poll(() => tab.hasHeard(`visitor ${count}.3`), { timeout: 800, intervals: [50] }).toBe(true)
        }).toPass()
      }
      await expectAllEverywhere(talk, [tab], said)
    })
  }

  test('catches up after two hours of sleep, with what was being sent sent once', async ({ talk, context }) => {
    await context.clock.install()
    await talk.agentSays('agent 0')
    const tabs = [await talk.openTab(), await talk.openTab()]
    const said = ['agent 0']
    talk.proxy.plan(() => ({ answered: 0, by: 'stall' }))
    talk.proxy.breakAll('stall')
    await tabs[0]?.say('visitor 1')
    said.push('visitor 1')
    // More than a stream replays.
    for (let count = 1; count <= 210; count++) {
      said.push(`agent ${count}`)
      await talk.agentSays(`agent ${count}`)
    }
    talk.proxy.plan(() => ({}))
    talk.proxy.bury()
    await context.clock.fastForward('02:00:00')
    await expectAllEverywhere(talk, tabs, said)
  })
})
