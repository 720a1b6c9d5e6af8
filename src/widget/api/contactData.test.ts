import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem, reply } from '../testing/fakePlatform.ts'
import { adaToken, authOf, createAcme } from '../testing/fixtures.ts'
import { eraseContact, retrieveContactData } from './contactData.ts'

const always = () => true

async function start() {
  const { browser, platform } = createAcme()
  const tab = browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const erasures = () => platform.log.filter(({ method, path }) => method === 'DELETE' && path === '/contact').length
  return { browser, platform, tab, erasures, send: tab.core.models.conversation.send }
}

describe('the data of a contact', () => {
  const data = { name: 'Ada', email: 'ada@example.com', phone: '', createdAt: '', messages: 2, attachments: 0 }

  it('is asked for until an answer has the nonce of its request', async () => {
    const { browser, platform, send } = await start()
    let answers = 0
    platform.intercept = (_, path, { body }) => {
      if (path !== '/contact/retrieve') return undefined
      const { nonce } = JSON.parse(`${body}`) as { nonce: string }
      return reply(200, data, { nonce: answers++ ? nonce : 'of another request' })
    }
    const found = retrieveContactData(send, always)
    await browser.clock.advance(60_000)
    expect(await found).toEqual(data)
    expect(answers).toBe(2)
  })

  it('is not asked for any longer than it is wanted, and not again if that is refused', async () => {
    const { browser, platform, send } = await start()
    let isWanted = true
    platform.intercept = (_, path) => (path === '/contact/retrieve' ? problem(503, 'unavailable') : undefined)
    const found = retrieveContactData(send, () => isWanted)
    await settle()
    isWanted = false
    await browser.clock.advance(3_600_000)
    expect(await found).toBeUndefined()
    platform.intercept = (_, path) => (path === '/contact/retrieve' ? problem(404, 'not_found') : undefined)
    expect(await retrieveContactData(send, always)).toBeUndefined()
  })
})

describe('the erasure of a contact', () => {
  it.each(['answered', 'lost'] as const)('ends the session without an event, if its answer is %s', async answer => {
    const { browser, platform, tab, erasures, send } = await start()
    platform.intercept = (method, path) => {
      const session = platform.sessions.get(adaToken)
      if (method !== 'DELETE' || path !== '/contact' || !session || session.ended) return undefined
      session.ended = 'contact_deleted'
      return answer === 'lost' ? Promise.reject(new TypeError('Failed to fetch')) : reply(204)
    }
    const erased = eraseContact(send, always)
    await browser.clock.advance(60_000)
    await erased
    expect(authOf(tab).at(-1)).toEqual(['anonymous', null, 'contact_deleted'])
    expect(erasures()).toBe(2)
  })

  it('changes nothing if it is refused', async () => {
    const { platform, tab, erasures, send } = await start()
    platform.intercept = (method, path) =>
      method === 'DELETE' && path === '/contact' ? problem(404, 'not_found') : undefined
    await eraseContact(send, always)
    expect([tab.core.models.session.authState.value, erasures()]).toEqual(['identified', 1])
  })
})
