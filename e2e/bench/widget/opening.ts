import type { Browser } from '@playwright/test'
import { median } from '../figures.ts'
import { openProbe, type Probe } from './browser.ts'
import { servePage } from './pages.ts'
import type { Home } from './platform.ts'

/** The effect of a click on the launcher. */
interface Opened {
  /** Milliseconds from the click until the first frame that shows the expected content. */
  paintedMs: number
  /** The longest task that began between the click and the focus in the composer, or 0 if none took 50 ms. */
  longestTaskMs: number
}

async function openPanel({ page, locate, longestTask, atRest }: Probe, wanted: string): Promise<Opened> {
  const click = await locate(launcher)
  // Two steps, because the click must not come before the page listens to it.
  await page.evaluate(selector => {
    window.opening = new Promise(resolve => {
      const root = document.querySelector('[data-natter]')?.shadowRoot
      /** Resolves in the task after the first frame in which the condition holds. */
      const afterPaint = (condition: () => unknown): Promise<number> =>
        new Promise(painted => {
          const look = () => {
            if (!condition()) return requestAnimationFrame(look)
            // The current frame contains it. The next task runs after that frame is painted.
            const { port1, port2 } = new MessageChannel()
            port1.onmessage = () => painted(performance.now())
            port2.postMessage(null)
            return 0
          }
          requestAnimationFrame(look)
        })
      addEventListener(
        'click',
        async ({ timeStamp: clickedAt }) => {
          const [paintedAt, takesTextAt] = await Promise.all([
            afterPaint(() => root?.querySelector(selector)),
            afterPaint(() => root?.activeElement?.matches('textarea')),
          ])
          resolve({ clickedAt, paintedAt, takesTextAt })
        },
        { capture: true, once: true },
      )
    })
  }, wanted)
  await click()
  const { clickedAt, paintedAt, takesTextAt } = await page.evaluate(() => window.opening)
  // The browser reports long tasks with a delay.
  await atRest()
  return {
    paintedMs: paintedAt - clickedAt,
    longestTaskMs: await longestTask(clickedAt, takesTextAt),
  }
}

export const launcher = '[data-natter] [part~="launcher"]'

/** From the click to the first paint of the panel. With `areFetched` its chunks are cached, but have never run. */
export async function measureOpening(
  browser: Browser,
  home: Home,
  rounds: number,
  areFetched: boolean,
): Promise<Opened[]> {
  const server = await servePage({ body: home.subject().embed })
  const runs: Opened[] = []
  for (let round = 0; round <= rounds; round++) {
    const context = await browser.newContext()
    const probe = await openProbe(context)
    await probe.page.goto(server.url)
    if (areFetched) await probe.page.locator(launcher).hover()
    await probe.atRest()
    const opened = await openPanel(probe, '[role="dialog"]')
    if (round > 0) runs.push(opened)
    await context.close()
  }
  await server.stop()
  return runs
}

/**
 * How often each conversation is opened in a round. The time of one opening differs by a half, because it depends on how far
 * the session has been restored when the click comes.
 */
const openingsPerRound = 5

/**
 * For two returning contacts: from a click as soon as the launcher is visible to the paint of the last message. Each figure
 * of a round is the median of its openings, except for `longestTaskMs`, which is the longest of all.
 */
export async function measureReturning(
  browser: Browser,
  home: Home,
  tokens: [string, string],
  rounds: number,
): Promise<[Opened, Opened][]> {
  const server = await servePage({ body: home.subject().embed })
  const pairs: [Opened, Opened][] = []
  const measure = async (token: string): Promise<Opened> => {
    const context = await browser.newContext()
    const probe = await openProbe(context)
    const { page } = probe
    await openConversation(probe, server.url, token)
    await page.reload()
    const opened = await openPanel(probe, '[part~="message"]')
    await context.close()
    return opened
  }
  // The first opening only warms up.
  await measure(tokens[0])
  for (let round = 0; round < rounds; round++) {
    const openings: [Opened[], Opened[]] = [[], []]
    for (let count = 0; count < openingsPerRound; count++) {
      openings[0].push(await measure(tokens[0]))
      openings[1].push(await measure(tokens[1]))
    }
    pairs.push([mediansOf(openings[0]), mediansOf(openings[1])])
  }
  await server.stop()
  return pairs
}

const mediansOf = (openings: Opened[]): Opened => ({
  paintedMs: median(openings.map(({ paintedMs }) => paintedMs)),
  longestTaskMs: Math.max(...openings.map(({ longestTaskMs }) => longestTaskMs)),
})

/** The maximum number of mounted messages while a visitor scrolls up past that many pages of the history. */
export async function measureMounted(browser: Browser, home: Home, token: string, pages: number): Promise<number> {
  const server = await servePage({ body: home.subject().embed })
  const context = await browser.newContext()
  const probe = await openProbe(context)
  const { page } = probe
  await openConversation(probe, server.url, token)
  const messages = page.locator('[part~="message"]')
  let most = 0
  for (let passed = 0; passed < pages; passed++) {
    const top = await messages.first().textContent()
    await page.locator('[part~="transcript"]').evaluate(log => {
      log.scrollTop = 1
      log.scrollTop = 0
    })
    const until = performance.now() + 60_000
    while ((await messages.first().textContent()) === top) {
      if (performance.now() > until) throw new Error(`No older messages came after ${passed} pages.`)
      most = Math.max(most, await messages.count())
    }
    most = Math.max(most, await messages.count())
  }
  await context.close()
  await server.stop()
  return most
}

async function openConversation(probe: Probe, url: string, token: string): Promise<void> {
  const { page } = probe
  await page.goto(url)
  await page.evaluate(async given => {
    await window.Natter.auth.contacts.login({ token: given })
    window.Natter.open()
  }, token)
  await page.locator('[part~="message"]').first().waitFor()
  await probe.atRest()
}

/** Creates a conversation with that many messages. Returns the contact's token. */
export async function converse({ client, issueToken }: Home, size: number): Promise<string> {
  const { contactId, token } = await issueToken()
  const words = 'It was on the way to you yesterday, and the parcel service says that it will be there on Thursday. '
  for (let count = 0; count < size; count += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, size - count) }, (_, index) =>
        client.conversations.messages.send({ contactId }, { text: words.repeat(1 + (index % 3)) + (count + index) }),
      ),
    )
  return token
}

declare global {
  interface Window {
    opening: Promise<{ clickedAt: number; paintedAt: number; takesTextAt: number }>
  }
}
