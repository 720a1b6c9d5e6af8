import { describe, expect, it } from 'vitest'
import { createCitations } from './citations.ts'

const cited = (url: unknown, title?: string) => ({ type: 'url_citation', url_citation: { url, title } })

describe('createCitations', () => {
  it('collects each cited page once, over several pieces, by its address if it has no title', () => {
    const citations = createCitations()
    citations.add({ content: 'Yes.' })
    citations.add({ annotations: [cited('https://a.example/1', 'One'), cited('https://a.example/1', 'Again')] })
    citations.add({ annotations: [cited('https://a.example/1', 'Again'), cited('https://a.example/2')] })
    expect(citations.sources).toEqual([
      { title: 'One', url: 'https://a.example/1' },
      { title: 'https://a.example/2', url: 'https://a.example/2' },
    ])
  })

  it('ignores what is no citation', () => {
    const citations = createCitations()
    for (const delta of [undefined, {}, { annotations: null }, { annotations: [null, 1, {}, { url_citation: null }] }])
      citations.add(delta)
    expect(citations.sources).toEqual([])
  })
})
