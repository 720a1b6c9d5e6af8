// A simulated `refreshToken` callback of a page.
import { type FakePlatform, tokenHex } from './fakePlatform.ts'
import type { Traffic } from './fakeTraffic.ts'
import { graceToken } from './fixtures.ts'

export type Answer = 'new' | 'null' | 'failure' | 'other' | 'silence'

export function createTokenAnswers(platform: FakePlatform, traffic: Traffic, answer: Answer | 'none') {
  /** The expired tokens that the callback was called with. */
  const asked: string[] = []
  let fresh = 0
  async function refreshToken(expired: string): Promise<string | null> {
    asked.push(expired)
    if (answer === 'silence') return new Promise(() => {})
    await new Promise<void>(resolve => traffic.post('site', resolve))
    if (answer === 'failure') throw new Error('The site is down')
    if (answer === 'other') return graceToken
    const contact = platform.sessions.get(expired)?.contact
    if (answer === 'null' || !contact) return null
    const token = `c:${tokenHex(++fresh)}`
    platform.addContact(token, contact)
    return token
  }
  return { asked, refreshToken }
}
