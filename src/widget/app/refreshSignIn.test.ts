import { expect, it } from 'vitest'
import type { Problem } from '../loader/problems.ts'
import { createAcme } from '../testing/fixtures.ts'

it('refresh() without a tokenUrl is reported, as it does nothing', async () => {
  const problems: Problem[] = []
  const { browser } = createAcme()
  const report = (problem: Problem) => void problems.push(problem)
  await browser.openTab({ report }).core.models.refreshSignIn()
  expect(problems).toEqual([{ code: 'missing_token_url' }])
})

it('refresh() with a tokenUrl is not reported, nor is a visitor who wants to sign in', () => {
  const problems: Problem[] = []
  const { browser } = createAcme()
  const report = (problem: Problem) => void problems.push(problem)
  void browser.openTab({ report, tokenUrl: '/chat-token' }).core.models.refreshSignIn()
  browser.openTab({ report }).core.models.signIn.request()
  expect(problems).toEqual([])
})
