import { describe, expect, it } from 'vitest'
import { maxSources, sourcesSchema, validate } from './index.ts'

const errorsOf = (sources: unknown) => {
  const checked = validate(sourcesSchema, sources)
  return 'errors' in checked ? checked.errors.map(({ pointer, code }) => `${pointer} ${code}`) : []
}
const url = 'https://shop.example/returns?a=1#b'
const withTitle = (title: unknown) => errorsOf([{ title, url }])
const withUrl = (other: unknown) => errorsOf([{ title: 'Returns', url: other }])

describe('sourcesSchema', () => {
  it('accepts https addresses with a title, which it trims', () => {
    const checked = validate(sourcesSchema, [{ title: ' Returns ', url, more: 1 }])
    expect(checked).toEqual({ output: [{ title: 'Returns', url }] })
    expect(errorsOf([])).toEqual([])
    expect(withTitle('😀'.repeat(200))).toEqual([])
    expect(withUrl('HTTPS://shop.example')).toEqual([])
  })

  it('refuses a title that is empty, too long or more than a line', () => {
    for (const empty of ['', ' ']) expect(withTitle(empty)).toEqual(['/0/title too_short'])
    expect(withTitle('x'.repeat(201))).toEqual(['/0/title too_long'])
    for (const bad of ['a\nb', 'a\0', '\ud800']) expect(withTitle(bad)).toEqual(['/0/title invalid_character'])
    expect(withTitle(undefined)).toEqual(['/0/title missing'])
  })

  it('refuses every address but https, and what a browser would read as another address', () => {
    for (const bad of [
      ...['http://shop.example', 'javascript:alert(1)', 'data:text/html,x', '//shop.example', '/returns', 'https://'],
      ...['https://shop.example/a b', 'java\nscript:alert(1)', ' https://shop.example', 'https://sh\top.example', ''],
      ...['https://shop.example/\ud800', 'https://shop.example/\0'],
    ])
      expect(withUrl(bad), bad).toEqual(['/0/url invalid_format'])
    expect(withUrl(`https://shop.example/${'x'.repeat(2048)}`)).toEqual(['/0/url too_long'])
  })

  it('refuses more than eight', () => {
    const of = (count: number) => Array.from({ length: count }, () => ({ title: 'Returns', url }))
    expect(errorsOf(of(maxSources))).toEqual([])
    expect(errorsOf(of(maxSources + 1))).toEqual([' too_long'])
  })
})
