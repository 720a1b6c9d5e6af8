import { describe, expect, it } from 'vitest'
import { createSearch, type SearchedText } from './textSearch.ts'

const find = (text: string, ...texts: SearchedText[]) =>
  createSearch(texts)({ place: 'cookies', path: ['name'], text }).map(({ text, excerpt }) => [text, excerpt])

describe('the search for texts', () => {
  it('finds a text as it is, percent-encoded, as a form encodes it, and within JSON', () => {
    const name = 'Zoë "Ada" Lovelace'
    for (const spelling of [
      name,
      encodeURIComponent(name),
      `${new URLSearchParams({ name })}`,
      JSON.stringify({ owner: { name } }),
      'Zoë "Ada"\n   Lovelace',
    ])
      expect(find(spelling, name), spelling).toHaveLength(1)
    expect(find('Zoë Lovelace', name)).toEqual([])
  })

  it('finds a text in every encoding, whichever characters it encodes', () => {
    const name = "Zoë O'Brien, c/o Ada+1 (🙂)"
    const address = new URL(`https://shop.example/${name}?${name}#${name}`)
    const ascii = JSON.stringify(name).replace(
      /[^ -~]/g,
      unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    for (const spelling of [
      address.pathname,
      address.search,
      address.hash,
      encodeURIComponent(name).replace(/%../g, code => code.toLowerCase()),
      encodeURI(name).replaceAll('%20', '+'),
      ascii,
      ascii.replace(/(?<=\\u)..../g, code => code.toUpperCase()),
      ascii.replaceAll('/', '\\/'),
    ])
      expect(find(spelling, name), spelling).toHaveLength(1)
  })

  it('shows a text with what is around it, shortened', () => {
    expect(find(`${'<'.repeat(50)}Ada${'>'.repeat(50)}`, 'Ada')).toEqual([
      ['Ada', `…${'<'.repeat(40)}Ada${'>'.repeat(40)}…`],
    ])
  })

  it('finds a pattern in every text, even if it has the flag g', () => {
    const pattern = /c:[0-9a-f]{4}/g
    const search = createSearch([pattern, 'Ada'])
    for (let time = 0; time < 2; time++)
      expect(search({ place: 'cookies', path: [], text: 'token=c:12ab' }).map(({ text }) => text)).toEqual(['c:12ab'])
  })

  it('refuses to search for nothing', () => {
    expect(() => createSearch([])).toThrow('`texts` is empty')
    expect(() => createSearch(['Ada', ' '])).toThrow('contains an empty text')
  })
})
