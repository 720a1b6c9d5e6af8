import { expect, it, vi } from 'vitest'
import { excerptOf } from './excerpt.ts'

it('is the first line with a word, cut around it, as it was written', () => {
  const texts = ['no', 'first line\nWe ship to Große Straße 7 on Mondays and Fridays']
  expect(excerptOf(texts, ['strasse', 'ship'])).toEqual({
    before: '…ip to Große ',
    match: 'Straße',
    after: ' 7 on Mondays and Fridays',
  })
  expect(excerptOf(['e\u0301tude 😀 ﬁn'], ['fin'])).toEqual({ before: 'e\u0301tude 😀 ', match: 'ﬁn', after: '' })
  expect(excerptOf([`a${'x'.repeat(200)}`], ['a'])?.after).toBe(`${'x'.repeat(100)}…`)
  expect(excerptOf(texts, ['absent'])).toBeNull()
})

it('is cut from a long line without normalizing each of its characters', () => {
  const folded = vi.spyOn(String.prototype, 'normalize')
  const excerpt = excerptOf([`${'Straße e\u0301😀ﬁ '.repeat(330)}commandé`], ['commande'])
  const calls = folded.mock.calls.length
  folded.mockRestore()
  expect(excerpt).toEqual({ before: '…Straße e\u0301😀ﬁ ', match: 'commandé', after: '' })
  expect(calls).toBeLessThan(50)
})
