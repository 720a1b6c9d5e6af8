import { afterEach, describe, expect, test } from 'vitest'
import { createFixture } from '../testing/markdownFixtures.tsx'

afterEach(() => document.body.replaceChildren())

// For thousands of renderings. It detects a hang and does not depend on the machine's speed.
const longTimeoutMs = 60_000

describe('Markdown', () => {
  test.each([
    ['asterisks', '*'],
    ['words between emphasis marks', '**a _b ~~c `d '],
    ['brackets', '['],
    ['unfinished links', '[a]('],
    ['unfinished addresses in angle brackets', '[a](<b'],
    ['unfinished images', '!['],
    ['backticks', '`a``b'],
    ['block quotes', '>'],
    ['unfinished tags', '<a '],
    ['unfinished entities', '&#1'],
    ['table cells', '|a'],
    ['spaces', ' '],
    ['unfinished definitions', '[a]: <b "'],
    ['addresses', 'http://a.www.'],
    ['mail addresses', 'a@a.'],
    ['escapes', '\\'],
    ['rules', '- - '],
    ['marks in Chinese', '**「'],
    ['unfinished links with spaces', '[a](b c '],
  ])(
    'takes linear time for many %s',
    (_, unit) => {
      const { draw } = createFixture()
      const median = (length: number) => {
        const text = unit.repeat(length / unit.length)
        const times = [0, 1, 2, 3, 4].map(round => {
          const start = performance.now()
          draw(text, { isStreaming: round % 2 === 0 }, `${length} ${round}`)
          return performance.now() - start
        })
        return times.toSorted((a, b) => a - b)[2] as number
      }
      median(2000)
      // Other load on the machine can distort single attempts. Quadratic time gives about 100 in every attempt.
      let ratio = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 5 && ratio >= 15; attempt++) {
        const short = Math.max(median(3900), 20)
        ratio = median(39_000) / short
      }
      expect(ratio).toBeLessThan(15)
    },
    longTimeoutMs,
  )
})
