// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { explainUnavailable, isOriginRefused } from './explainUnavailable.ts'

afterEach(() => vi.restoreAllMocks())

/** Returns the console message if the platform responds in this way. */
async function said(...answers: (number | null)[]): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation(line => void lines.push(line))
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    const [script, bot, presence] = answers
    const answer = `${address}`.endsWith('.js') ? script : init?.mode === 'no-cors' ? presence : bot
    if (!answer) throw new TypeError('Failed to fetch')
    return { ok: answer < 300, status: answer } as Response
  })
  await explainUnavailable('https://chat.example/', 'bot')
  return lines
}

describe('a bot of which nothing can be read', () => {
  it('is explained with the command that allows the page, if the platform refuses only this origin', async () => {
    const [line, ...more] = await said(200, null, 200)
    expect(line).toContain(`natter bot update bot --add-origin ${location.origin}`)
    expect(more).toEqual([])
  })

  it('is explained by the scheme, if the page is a file', async () => {
    vi.spyOn(location, 'protocol', 'get').mockReturnValue('file:')
    expect(await said(200, null, 200)).toEqual([
      'Natter: This page is a file. Serve it over http, such as http://localhost:3000.',
    ])
  })

  it('is explained by a wrong id, an unreachable platform, or the status of its answer', async () => {
    expect(await said(200, 404, 404)).toEqual([expect.stringContaining('https://chat.example has no bot bot.')])
    expect(await said(null, null, null)).toEqual([expect.stringContaining("can't be reached from this page")])
    expect(await said(502, 502, 502)).toEqual([expect.stringContaining('answers 502 for the bot')])
  })

  it('is not explained if the platform answers by now, or the connection breaks off', async () => {
    const backMeanwhile = [200, 200, 200]
    const ofABrokenConnection = [200, null, null]
    const behindAProxyThatFindsNoPlatform = [502, null, 502]
    for (const answers of [backMeanwhile, ofABrokenConnection, behindAProxyThatFindsNoPlatform]) {
      expect(await said(...answers)).toEqual([])
      expect(await isOriginRefused('https://chat.example', 'bot')).toBe(false)
    }
  })
})
