import { expect, it } from 'vitest'
import { createAcme } from '../testing/fixtures.ts'

it('refresh() without a tokenUrl is reported, as it does nothing', async () => {
  const problems: string[] = []
  const { browser } = createAcme()
  const report = (what: string) => void problems.push(what)
  await browser.openTab({ report }).core.models.refreshSignIn()
  expect(problems).toEqual([expect.stringContaining('without the option `tokenUrl`')])
})

it('refresh() with a tokenUrl is not reported, nor is a visitor who wants to sign in', () => {
  const problems: string[] = []
  const { browser } = createAcme()
  const report = (what: string) => void problems.push(what)
  void browser.openTab({ report, tokenUrl: '/chat-token' }).core.models.refreshSignIn()
  browser.openTab({ report }).core.models.signIn.request()
  expect(problems).toEqual([])
})
