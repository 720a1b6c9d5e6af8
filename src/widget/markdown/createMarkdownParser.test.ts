import { describe, expect, test } from 'vitest'
import { createMarkdownParser } from './createMarkdownParser.ts'

const rows = '| value | value |\n'.repeat(200)
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

  test('joins the rows of a long table up to the end of the table', () => {
    expect(typesOf(`| a | b |\n|---|---|\n${rows}`)).toEqual([['table']])
    expect(typesOf(`| a | b |\n|---|---|\n${rows}# c\ntext\n${rows}`).flat().slice(0, 3)).toEqual([
      'table',
      'heading',
      'paragraph',
    ])
    expect(typesOf(`| a | b |\n|---|---|\n${rows}\n${rows}`)[0]).toEqual(['table'])
  })

  test('does not join rows that are not a table', () => {
    // The header has one column more than the delimiter row.
    const text = `| a | b | c |\n|---|---|\n${rows}`
    const blocks = createMarkdownParser()(text, false)
    expect(blocks.flatMap(({ tokens }) => tokens.map(({ type }) => type))).not.toContain('table')
    expect(blocks.map(({ tokens }) => tokens.map(({ raw }) => raw).join('')).join('')).toBe(text)
  })

  test('resolves links with definitions that come after them', () => {
    const [paragraph] = createMarkdownParser()('[a]\n\n[a]: https://a.example', false)
    expect(paragraph?.tokens[0]).toMatchObject({ tokens: [{ type: 'link', href: 'https://a.example' }] })
  })
})
