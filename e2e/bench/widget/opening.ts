import type { Browser, Page } from '@playwright/test'
import { openProbe, type Probe } from './browser.ts'
import { servePage } from './pages.ts'
import type { Home } from './platform.ts'

/** Milliseconds from the click on the launcher until a frame with `wanted` in it has been painted. */
async function paintAfterClick(page: Page, click: () => Promise<void>, wanted: string): Promise<number> {
  const painted = page.evaluate(
    selector =>
      new Promise<number>(resolve => {
        const root = document.querySelector('[data-natter]')?.shadowRoot
        addEventListener(
          'click',
          ({ timeStamp }) => {
            const look = () => {
              if (!root?.querySelector(selector)) return requestAnimationFrame(look)
              // It is part of the frame that is being made; the next task comes after its paint.
              const { port1, port2 } = new MessageChannel()
              port1.onmessage = () => resolve(performance.now() - timeStamp)
              port2.postMessage(null)
              return 0
            }
            requestAnimationFrame(look)
          },
          { capture: true, once: true },
        )
      }),
    wanted,
  )
  await click()
  return painted
}

const launcher = '[data-natter] [part~="launcher"]'

/** From the click to the panel's first paint, its parts fetched and never run before. */
export async function measureOpening(browser: Browser, home: Home, rounds: number): Promise<number[]> {
  const server = await servePage({ body: home.subject().embed })
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const context = await browser.newContext()
    const probe = await openProbe(context)
    await probe.page.goto(server.url)
    await probe.page.locator(launcher).hover()
    await probe.atRest()
    const ms = await paintAfterClick(probe.page, await probe.locate(launcher), '[role="dialog"]')
    if (round > 0) times.push(ms)
    await context.close()
  }
  await server.stop()
  return times
}

/** Of a contact that returns: from the click, made as soon as the launcher is there, to the last message's paint. */
export async function measureReturning(
  browser: Browser,
  home: Home,
  tokens: [string, string],
  rounds: number,
): Promise<[number, number][]> {
  const server = await servePage({ body: home.subject().embed })
  const pairs: [number, number][] = []
  const measure = async (token: string): Promise<number> => {
    const context = await browser.newContext()
    const probe = await openProbe(context)
    const { page } = probe
    await openConversation(probe, server.url, token)
    await page.reload()
    const click = await probe.locate(launcher)
    const ms = await paintAfterClick(page, click, '[part~="message"]')
    await context.close()
    return ms
  }
  for (let round = 0; round <= rounds; round++) {
    const pair: [number, number] = [await measure(tokens[0]), await measure(tokens[1])]
    if (round > 0) pairs.push(pair)
  }
  await server.stop()
  return pairs
}

/** The most messages that are mounted while a visitor scrolls up, past so many pages of the history. */
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

/** A conversation of so many messages; returns its contact's token. */
export async function converse({ client, issueToken }: Home, size: number): Promise<string> {
  const { contactId, token } = await issueToken()
  const words = 'It was on the way to you yesterday, and the parcel service says that it will be there on Thursday. '
  for (let count = 0; count < size; count += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, size - count) }, (_, index) =>
        client.conversations.send({ contactId }, { text: words.repeat(1 + (index % 3)) + (count + index) }),
      ),
    )
  return token
}
