import { describe, expect, test } from 'vitest'
import { closeUnfinished, withholdUnclearLine } from './closeUnfinished.ts'

describe('closeUnfinished', () => {
  test.each([
    ['emphasis', '**a _b', '**a _b_**'],
    ['code', 'a `b', 'a `b`'],
    ['emphasis marks at the end, which may open or close', 'a **', 'a'],
    ['a link without its URL', 'a [b', 'a'],
    ['a link with a part of its URL', 'a [b](https://a.ex', 'a'],
    ['a finished link', 'a [b](https://a.example/f(g(x))) c', 'a [b](https://a.example/f(g(x))) c'],
    ['brackets that are not a link', 'a [b] c', 'a [b] c'],
    ['a URL in angle brackets', 'a <https://a.example?b&c', 'a'],
    ['emphasis marks before a URL in angle brackets', 'a **<https://a', 'a'],
    ['an entity', 'a &am', 'a'],
    ['a less-than sign', 'a < b', 'a < b'],
    ['the header of a table', '| a | b', '| a | b\n|-|-|'],
    ['a row of a table', '| a |\n|-|\n| **b', '| a |\n|-|\n| **b**'],
    ['a row of a table without pipes around it', 'a | b\n---|---\n| **c', 'a | b\n---|---\n| **c**'],
    ['a fenced code block', '```\n**a', '```\n**a'],
    ['a list item after another', '- **a\n- *b', '- **a\n- *b*'],
  ])('completes %s', (_, text, closed) => {
    expect(closeUnfinished(text)).toBe(closed)
  })
})

describe('withholdUnclearLine', () => {
  test.each(['-', '1.', '  *', '#', '|', '---', '```', '> -', '- [ '])(
    'withholds a line whose block type is not yet clear: %s',
    line => {
      expect(withholdUnclearLine(`a\n${line}`)).toBe('a\n')
    },
  )

  test.each(['- a', '1. a', '# a', '| a', 'a'])('shows a line whose block type is clear: %s', line => {
    expect(withholdUnclearLine(`a\n${line}`)).toBe(`a\n${line}`)
  })
})
