import type { Browser } from '@playwright/test'
import { openProbe } from './browser.ts'
import { startDelay } from './delay.ts'
import { servePage } from './pages.ts'
import type { Home } from './platform.ts'

export const roundTripMs = 50

/**
 * Measures `login()` with a loaded core, and a bare `fetch` of the session with its preflight, in pairs. Each runs in a
 * browser with an empty cache, over a connection with a round trip of 50 ms.
 */
export async function measureLogin(browser: Browser, home: Home, rounds: number): Promise<[number, number][]> {
  const line = await startDelay(home.baseUrl, roundTripMs)
  const server = await servePage({ body: home.subject(line.baseUrl).embed })
  const pairs: [number, number][] = []
  for (let round = 0; round <= rounds; round++) {
    const { token } = await home.issueToken()
    const inNewPage = async (measure: (page: { address: string; token: string }) => Promise<number>) => {
      const context = await browser.newContext()
      const probe = await openProbe(context, 1)
      await probe.page.goto(server.url)
      await probe.page.locator('[part~="launcher"]').hover()
      await probe.atRest()
      const address = `${line.baseUrl}/v1/bots/${home.botId}/widget/session`
      const ms = await probe.page.evaluate(measure, { address, token })
      await context.close()
      return ms
    }
    const login = await inNewPage(async page => {
      const start = performance.now()
      await window.Natter.auth.contacts.login({ token: page.token })
      return performance.now() - start
    })
    const bare = await inNewPage(async page => {
      const start = performance.now()
      const answer = await fetch(page.address, { headers: { authorization: `Bearer ${page.token}` } })
      await answer.json()
      return performance.now() - start
    })
    if (round > 0) pairs.push([login, bare])
  }
  await server.stop()
  line.stop()
  return pairs
}
