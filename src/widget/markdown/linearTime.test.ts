import { describe, expect, test } from 'vitest'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { closeUnfinished } from './closeUnfinished.ts'
import { createMarkdownParser } from './createMarkdownParser.ts'
import { maxBlockLength, splitBlocks } from './splitBlocks.ts'

const hostile: [string, string][] = [
  ['spaces', ' '],
  ['spaces between words', `a${' '.repeat(50)}`],
  ['marks', '*'],
  ['marks between words', `a${'*'.repeat(50)}`],
  ['marks and spaces', '* _ '],
  ['escapes', '\\'],
  ['backticks', '`'],
  ['backticks of different lengths', '`a``b```c'],
  ['brackets', '['],
  ['links', '[a](b) '],
  ['unfinished links', '[a]('],
  ['parentheses', '[a](('],
  ['tags', '<a '],
  ['entities', '&#1'],
  ['quotes', '> '],
  ['nested lists', '- 1. '],
  ['pipes', '|'],
  ['rows', '| a | b |\n'],
  ['tables', '|a|b|\n|-|-|\n'],
  ['delimiter rows', '|-'],
  ['lines of marks', '- \n'],
  ['blank lines', '\n'],
  ['fences', '```\n'],
  ['addresses', 'https://a.example/('],
]

/** Text in blocks of the maximum length. */
const inBlocks = (unit: string) => (length: number) =>
  `x${unit.repeat((maxBlockLength - 4) / unit.length)}x\n\n`.repeat(length / maxBlockLength)

describe('ten times the text costs at most fifteen times as much', () => {
  test.each(hostile)('split into blocks: %s', (_, unit) => {
    const text = (length: number) => `${unit.repeat(length / unit.length)}x`
    expect(growth(splitBlocks, text)).toBeLessThanOrEqual(linearGrowth)
  })

  test.each(hostile)('closed while streaming: %s', (_, unit) => {
    const text = (length: number) => `x${unit.repeat(length / unit.length)}x`
    expect(growth(closeUnfinished, text)).toBeLessThanOrEqual(linearGrowth)
  })

  test.each(hostile.slice(0, 4))('parsed, in many blocks: %s', (_, unit) => {
    const parse = (text: string) => createMarkdownParser()(text, true)
    expect(growth(parse, inBlocks(unit))).toBeLessThanOrEqual(linearGrowth)
  })
})
