import { describe, expect, it } from 'vitest'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { createFaqFinder } from './faqFinder.ts'

const long = 'rindfleischetikettierungs'.repeat(4)
const sections = [
  { topic: 'Returns', heading: 'Refunds', text: 'In a week.' },
  { topic: 'Law', heading: long, text: 'It was repealed.' },
]
const find = createFaqFinder(sections)

describe('a long word', () => {
  it.each<[string, (length: number) => string]>([
    ['letters', length => 'a'.repeat(length / 10)],
    // Each becomes six letters.
    ['signs that stand for a word', length => '\u3316'.repeat(length / 60)],
  ])('takes no more than fifteen times as long with ten times the %s', (_, text) => {
    expect(growth(find, text)).toBeLessThanOrEqual(linearGrowth)
  })

  it('is found as it is, and by its beginning', () => {
    for (const asked of [long, long.slice(0, 80)]) expect(find(asked)).toEqual({ kind: 'answer', section: sections[1] })
  })
})

it('a word is found with typing mistakes', () => {
  expect(find('When is my refumd due?')).toEqual({ kind: 'answer', section: sections[0] })
})

it.each(['How are you?', 'Hi there, what can you do?', '👋', '???'])(
  '%s is small talk, and no question without an answer',
  asked => {
    expect(find(asked)).toEqual({ kind: 'greeting' })
  },
)
