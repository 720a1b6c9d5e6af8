import { afterEach, describe, expect, it, vi } from 'vitest'
import { explainRefusal } from './explainRefusal.ts'

afterEach(() => vi.restoreAllMocks())

/** Returns the console message if the platform responds in this way. */
async function said(...answers: (number | null)[]): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation(line => void lines.push(line))
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    const [script, bot, presence] = answers
    const answer = `${address}`.endsWith('.js') ? script : init?.mode === 'no-cors' ? presence : bot
    if (!answer) throw new TypeError('Failed to fetch')
    return { ok: answer < 300, status: answer } as Response
  })
  await explainRefusal('https://chat.example/', 'bot').catch(() => {})
  return lines
}

describe('a bot of which nothing can be read', () => {
  it('is explained with the command that allows the page, if the platform refuses only this origin', async () => {
    const [line, ...more] = await said(200, null, 200)
    expect(line).toContain(`natter bot update bot --add-origin ${location.origin}`)
    expect(more).toEqual([])
  })

  it('is not explained as a refusal if there is another cause', async () => {
    const down = [null, null, null]
    const behindAProxyThatFindsNoPlatform = [502, null, 502]
    const unknown = [200, 404, 404]
    const backMeanwhile = [200, 200, 200]
    const ofABrokenConnection = [200, null, null]
    for (const answers of [down, behindAProxyThatFindsNoPlatform, unknown, backMeanwhile, ofABrokenConnection]) {
      expect(await said(...answers)).toEqual([])
    }
  })
})
