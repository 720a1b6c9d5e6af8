import { expect, it } from 'vitest'
import type { OwnStrings } from '../i18n/en.ts'
import type { Problem } from '../loader/problems.ts'
import { createAcme } from '../testing/fixtures.ts'

/** What a widget with this option reports. */
function report(strings: unknown): Problem[] {
  const problems: Problem[] = []
  createAcme().browser.openTab({
    strings: strings as OwnStrings,
    report: problem => void problems.push(problem),
  })
  return problems
}

it('a key of `strings` that no text has is reported', () => {
  expect(report({ send: 'Go', nonsense: 'x' })).toEqual([{ code: 'unknown_texts', names: ['nonsense'] }])
  expect(report({ send: 'Go', contact_deleted: 'Gone' })).toEqual([])
  expect(report(undefined)).toEqual([])
})
