import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { readContent, splitSections } from './contentSections.ts'

describe('splitSections', () => {
  it('creates an answer from each section, with its heading and its topic', () => {
    const markdown = '# Returns\n\nWithin 30 days.\n\n## Refunds ##\nIn a week.\n### Empty\n## Costs\nNone.'
    expect(splitSections(markdown)).toEqual([
      { topic: 'Returns', heading: 'Returns', text: 'Within 30 days.', isMarkdown: false },
      { topic: 'Returns', heading: 'Refunds', text: 'In a week.', isMarkdown: false },
      { topic: 'Returns', heading: 'Costs', text: 'None.', isMarkdown: false },
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

  it.each([
    ['a paragraph', 'Acme was founded in 1984\nas a shop.  \t\n\n\nSee https://acme.example.', false],
    ['emphasis', 'We ship **fast**.', true],
    ['emphasis beside letters without spaces', '**「返品」**は30日以内です。', true],
    ['a link', 'See [the map](/map).', true],
    ['an address in brackets', 'See <https://acme.example>.', true],
    ['an escape', 'It is \\*not* emphasized.', true],
    ['a line break', 'One  \ntwo', true],
    ['a list', '- one\n- two', true],
    ['a quote', '> quoted', true],
    ['a table', 'A | B\n--|--\n1 | 2', true],
    ['code', '    x', true],
    ['a rule', 'One\n\n***\n\nTwo', true],
  ])('says for %s whether plain text is enough', (_, text, isMarkdown) => {
    expect(splitSections(`# One\n\n${text}\n`)).toMatchObject([{ isMarkdown }])
  })

  it('joins the lines of a paragraph in plain text, and keeps the source of Markdown', () => {
    const plain = 'Acme was\n  founded\nin 1984.'
    expect(splitSections(`${plain}\n \n\nIt is a shop.`)).toMatchObject([
      { text: 'Acme was founded in 1984.\n\nIt is a shop.' },
    ])
    expect(splitSections(`\n  \n*It*\nis:\n\n- a shop\n\n`)).toMatchObject([{ text: '*It*\nis:\n\n- a shop' }])
  })

  it('takes headings without their marks', () => {
    const heading = '## Do `2 * 3` **fast** [returns](/returns) cost \\*more\\*, snake_case? ![sign](a.png)'
    expect(splitSections(`${heading}\nNo.`)).toMatchObject([
      { heading: 'Do 2 * 3 fast returns cost *more*, snake_case? sign' },
    ])
  })

  it('has the address of its page if the front matter names one', () => {
    const read = (source: string) => splitSections(`---\ntitle: x\nsource: ${source}\n---\n# Costs\nNone.`)
    for (const source of ['https://shop.example/costs', '"https://shop.example/costs" '])
      expect(read(source)).toMatchObject([{ heading: 'Costs', url: 'https://shop.example/costs' }])
    for (const source of ['http://shop.example/', '/costs', '']) expect(read(source)[0]).not.toHaveProperty('url')
    expect(splitSections('# Costs\nsource: https://shop.example/')[0]).not.toHaveProperty('url')
  })

  it('skips front matter and a byte order mark, and accepts text without a heading', () => {
    expect(splitSections('\ufeff---\ntitle: x\n---\nJust text.\r\nMore.')).toEqual([
      { topic: '', heading: '', text: 'Just text. More.', isMarkdown: false },
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
      { topic: 'Returns', heading: 'Returns', text: 'Within 30 days.', isMarkdown: false },
      { topic: 'Returns', heading: 'Refunds', text: 'In a week.', isMarkdown: false },
    ])
  })
})

describe('readContent', () => {
  it('reads the synonyms of the folder, and the addresses of the pages below a base URL', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'our shop'))
    const files = ['returns.md', 'README.md', 'our shop/index.md', 'our shop/sizes.md']
    for (const file of files) writeFileSync(join(folder, file), `# ${file}\nText.\n`)
    writeFileSync(join(folder, 'paid.md'), '---\nsource: https://pay.example/\n---\n# Payment\nText.\n')
    writeFileSync(join(folder, 'synonyms.txt'), 'sneaker, trainer\n')
    const { sections, synonyms, unusable } = await readContent(folder, 'https://shop.example/help')
    expect(sections.map(({ file, url }) => [file, url])).toEqual([
      ['README.md', 'https://shop.example/help/'],
      [join('our shop', 'index.md'), 'https://shop.example/help/our%20shop/'],
      [join('our shop', 'sizes.md'), 'https://shop.example/help/our%20shop/sizes'],
      ['paid.md', 'https://pay.example/'],
      ['returns.md', 'https://shop.example/help/returns'],
    ])
    expect(synonyms.trim()).toBe('sneaker, trainer')
    expect(unusable).toEqual([])
    for (const { url } of (await readContent(folder)).sections.slice(0, 3)) expect(url).toBeUndefined()
  })
})
