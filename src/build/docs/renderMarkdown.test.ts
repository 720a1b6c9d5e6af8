import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './renderMarkdown.ts'

const render = (text: string) => renderMarkdown(text, link => link).content

describe('renderMarkdown', () => {
  it('keeps markup in code, and quotes in addresses and alternative texts, from becoming elements', () => {
    const markup = '<img src=x onerror="alert(1)">'
    const shown = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'
    expect(render(`\`${markup}\``)).toBe(`<p><code>${shown}</code></p>\n`)
    expect(render(`\`\`\`html\n${markup}\n\`\`\``)).toContain(`<code>${shown}</code>`)
    expect(render('![" onerror="alert(1)](x.webp)')).toContain('alt="&quot; onerror=&quot;alert(1)"')
    expect(render('[x](<#" onclick="alert(1)>)')).not.toContain('onclick="')
  })

  it('lets the path in a piece of code break, but nothing else', () => {
    expect(render('`PUT /v1/bots/{id} a/ /`')).toContain('<code>PUT /<wbr>v1/<wbr>bots/<wbr>{id} a/ /</code>')
  })

  it('has no header cell without a text, which screen readers would announce', () => {
    const table = render('|  | a |\n|---|---|\n| b | |').replaceAll('\n', '')
    expect(table).toContain('<tr><td></td><th scope="col">a</th></tr></thead><tbody><tr><td>b</td><td></td></tr>')
  })

  it('collects the headings with their plain titles, and takes an anchor from the end of a heading', () => {
    const { content, headings } = renderMarkdown(
      '# A `<b>`\n\ntext\n\n## A *b*\n\n## A b {#own-Anchor}\n',
      link => link,
    )
    expect(headings).toEqual([
      { level: 1, title: 'A &lt;b&gt;', anchor: 'a-b' },
      { level: 2, title: 'A b', anchor: 'a-b-1' },
      { level: 2, title: 'A b', anchor: 'own-Anchor' },
    ])
    expect(content).toContain('<h2 id="own-Anchor"><a href="#own-Anchor">A b</a></h2>')
  })

  it('marks the table of contents, which pages with room for it have beside the text', () => {
    expect(render('- [A](#a)\n- [`B`](#b)')).toContain('<ul class="contents">')
    expect(render('- [A](#a)\n- [B](#b) and more')).toContain('<ul>')
  })
})
