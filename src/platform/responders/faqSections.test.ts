import { describe, expect, it } from 'vitest'
import { splitSections } from './faqSections.ts'

describe('splitSections', () => {
  it('creates an answer from each section, with its heading and its topic', () => {
    const markdown = '# Returns\n\nWithin 30 days.\n\n## Refunds ##\nIn a week.\n### Empty\n## Costs\nNone.'
    expect(splitSections(markdown)).toEqual([
      { topic: 'Returns', heading: 'Returns', text: 'Within 30 days.' },
      { topic: 'Returns', heading: 'Refunds', text: 'In a week.' },
      { topic: 'Returns', heading: 'Costs', text: 'None.' },
    ])
  })

  it('begins a topic at every heading of the first level', () => {
    const markdown = '# Returns\n\nWithin 30 days.\n\n## Refunds\nIn a week.\n# Sizes\n## Shoes\nTrue to size.'
    expect(splitSections(markdown).map(({ topic, heading }) => [topic, heading])).toEqual([
      ['Returns', 'Returns'],
      ['Returns', 'Refunds'],
      ['Sizes', 'Shoes'],
    ])
    expect(splitSections('## Shoes\nTrue to size.')).toMatchObject([{ topic: '', heading: 'Shoes' }])
  })

  it('keeps text that is readable without rendering', () => {
    const [answer] = splitSections(
      [
        '# Shipping',
        '',
        'We ship **fast** and *far*,',
        'see [the map](https://acme.example/map_of_all).',
        'A line break  ',
        'stays; `2 * 3 * 4` and snake_case too.',
        '',
        '- one',
        '* two, which',
        '  goes on',
        '1. three',
        '',
        '> quoted, \\*not emphasized\\*',
        '',
        '```',
        '# no heading',
        '```',
      ].join('\n'),
    )
    expect(answer?.text).toBe(
      [
        'We ship fast and far, see the map (https://acme.example/map_of_all). A line break',
        'stays; 2 * 3 * 4 and snake_case too.',
        '',
        '• one',
        '• two, which goes on',
        '1. three',
        '',
        'quoted, *not emphasized*',
        '',
        '# no heading',
      ].join('\n'),
    )
  })

  it('skips front matter and a byte order mark, and accepts text without a heading', () => {
    expect(splitSections('\ufeff---\ntitle: x\n---\nJust text.\r\nMore.')).toEqual([
      { topic: '', heading: '', text: 'Just text. More.' },
    ])
    expect(splitSections('')).toEqual([])
  })

  it.each([
    ['a line of code in fences', '``` x ```'],
    ['a longer fence', '````\n```\n# no heading\n```\n````'],
    ['a fence of another kind', '~~~\n```\n# no heading\n~~~'],
    ['a fence with a language', '```sh\n# no heading\n```'],
    ['an indented block', 'Text\n\n    # no heading'],
  ])('goes on behind %s', (_, block) => {
    const sections = splitSections(`# One\n${block}\n# Two\nText.`)
    expect(sections.map(({ heading }) => heading)).toEqual(['One', 'Two'])
  })

  it('takes headings that are underlined', () => {
    const markdown = 'Returns\n=======\n\nWithin 30 days.\n\nRefunds\n---\nIn a week.'
    expect(splitSections(markdown)).toEqual([
      { topic: 'Returns', heading: 'Returns', text: 'Within 30 days.' },
      { topic: 'Returns', heading: 'Refunds', text: 'In a week.' },
    ])
  })
})
