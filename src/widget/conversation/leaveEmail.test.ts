import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { createAcme } from '../testing/fixtures.ts'

it('leaves an address in the session of the visitor, which the next page knows and a logout forgets', async () => {
  const { browser, platform } = createAcme()
  const { conversation } = browser.openTab().core.models
  await settle()
  expect(await conversation.leaveEmail('ada@example.com')).toBe('left')
  expect(platform.log.find(({ path }) => path === '/session/email')).toMatchObject({
    ...{ method: 'PUT', body: { email: 'ada@example.com', locale: 'en-US' } },
    token: [...platform.sessions.keys()].at(-1),
  })
  const next = browser.openTab()
  await settle()
  const { hasEmail } = next.core.models.conversation
  expect([conversation.hasEmail.value, hasEmail.value]).toEqual([true, true])
  await next.core.logout()
  await settle()
  expect(hasEmail.value).toBe(false)
})

it.each([
  [400, 'invalid'],
  [429, 'failed'],
  [503, 'failed'],
])('does not try again after %d: the visitor is told that it is %s', async (status, outcome) => {
  const { browser, platform } = createAcme()
  const { conversation } = browser.openTab().core.models
  await settle()
  platform.intercept = (_, path) => (path === '/session/email' ? problem(status, 'a_code') : undefined)
  expect(await conversation.leaveEmail('ada@localhost')).toBe(outcome)
  expect(conversation.hasEmail.value).toBe(false)
  expect(platform.log.filter(({ path }) => path === '/session/email')).toHaveLength(1)
})
