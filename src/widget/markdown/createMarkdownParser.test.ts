import { describe, expect, test } from 'vitest'
import { createMarkdownParser } from './createMarkdownParser.ts'

const rows = '| value | value |\n'.repeat(250)
const typesOf = (text: string) =>
  createMarkdownParser()(text, false).map(({ tokens }) =>
    tokens.map(({ type }) => type).filter(type => type !== 'space'),
  )

describe('createMarkdownParser', () => {
  test('returns the same objects for unchanged blocks', () => {
    const parse = createMarkdownParser()
    const streaming = parse('# One\n\ntwo\n\nthree', true)
    const longer = parse('# One\n\ntwo\n\nthree **four**', true)
    const complete = parse('# One\n\ntwo\n\nthree **four**', false)
    expect(longer[0]).toBe(streaming[0])
    expect(longer[1]).toBe(streaming[1])
    expect(longer[2]).not.toBe(streaming[2])
    expect(complete.map((block, index) => block === longer[index])).toEqual([true, true, true])
    expect(parse('# One\n\ntwo\n\nthree **four**', false)).toBe(complete)
  })

  test('shows what a table has beyond the maximum length as it was written', () => {
    const text = `| a | b |\n|---|---|\n${rows}`
    expect(typesOf(text)).toEqual([['table'], ['paragraph']])
    const blocks = createMarkdownParser()(text, false)
    expect(blocks.map(({ tokens }) => tokens.map(({ raw }) => raw).join('')).join('')).toBe(text)
  })

  test('resolves links with definitions that come after them', () => {
    const [paragraph] = createMarkdownParser()('[a]\n\n[a]: https://a.example', false)
    expect(paragraph?.tokens[0]).toMatchObject({ tokens: [{ type: 'link', href: 'https://a.example' }] })
  })
})
