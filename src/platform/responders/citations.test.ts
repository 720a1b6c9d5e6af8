import { expect, it } from 'vitest'
import { createCitations } from './citations.ts'

const section = (heading: string, url?: string) => ({ topic: '', heading, text: '', ...(url !== undefined && { url }) })
const returns = section('Returns', 'https://shop.example/returns')
const delivery = section('Delivery', 'https://shop.example/delivery')
const sections = [section('Inside'), returns, delivery]

/** What the visitor gets of a reply that arrives in such pieces. */
function read(pieces: Iterable<string>) {
  const citations = createCitations(sections)
  const parts = [...pieces].flatMap(citations.add)
  const { rest, sources } = citations.end()
  return { text: [...parts, ...rest].map(part => ('text' in part ? part.text : '')).join(''), sources }
}
const titleAndUrl = ({ heading, url }: { heading: string; url?: string }) => ({ title: heading, url })

it.each([
  // In the order in which they are cited, once each.
  [
    'It costs 5 € [3]. Send it back [2], at our cost [3].',
    'It costs 5 € [1]. Send it back [2], at our cost [1].',
    [delivery, returns],
  ],
  // A section without an address has no link.
  ['We know [1]. So [1][2].', 'We know. So[1].', [returns]],
  // There is no such section.
  ['See [4] and [0].', 'See [4] and [0].', []],
  ['A [2](https://a.example/) link, and [x], [ and [12', 'A [2](https://a.example/) link, and [x], [ and [12', []],
  ['Ends with [2', 'Ends with [2', []],
  ['Ends with [2]', 'Ends with [1]', [returns]],
])('%s becomes %s', (reply, text, cited) => {
  const expected = { text, sources: cited.map(titleAndUrl) }
  expect(read([reply])).toEqual(expected)
  expect(read(reply)).toEqual(expected)
})

it('holds no text that cannot become a citation', () => {
  const { add } = createCitations(sections)
  expect(add('Yes, it is')).toEqual([{ text: 'Yes, it is' }])
  expect(add(' [')).toEqual([])
  expect(add('note]')).toEqual([{ text: ' [note]' }])
})

it('forgets what a reply that begins anew has cited', () => {
  const citations = createCitations(sections)
  citations.add('Hm [2]')
  citations.restart()
  expect(citations.add('Soon [3].')).toEqual([{ text: 'Soon [1].' }])
  expect(citations.end()).toEqual({ rest: [], sources: [titleAndUrl(delivery)] })
})
