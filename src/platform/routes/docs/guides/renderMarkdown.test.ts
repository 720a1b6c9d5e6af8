import { describe, expect, it } from 'vitest'
import { textOf } from '../html.ts'
import { renderMarkdown } from './renderMarkdown.ts'

const render = (text: string, linkAddress: (link: string) => string | null = link => link) =>
  textOf(renderMarkdown(text, linkAddress).content)

describe('renderMarkdown', () => {
  it('shows raw HTML as it was written, in every kind of block', () => {
    const hostile = '<img src=x onerror="alert(1)">'
    const shown = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'
    for (const text of [
      hostile,
      `word ${hostile}`,
      `# ${hostile}`,
      `- ${hostile}`,
      `1. ${hostile}`,
      `> ${hostile}`,
      `**${hostile}**`,
      `*${hostile}*`,
      `~~${hostile}~~`,
      `\`${hostile}\``,
      `[${hostile}](#x)`,
      `| a | ${hostile} |\n|---|---|\n| b | ${hostile} |`,
      `\`\`\`html\n${hostile}\n\`\`\``,
      `\`\`\`${hostile}\nx\n\`\`\``.replace('\n', ' \n'),
      `<div>\n${hostile}\n</div>`,
    ]) {
      const markup = render(text)
      expect(markup).not.toMatch(/<img|<div>/)
      if (!text.startsWith('```<')) expect(markup, text).toContain(shown)
    }
  })

  it('keeps quotes of addresses and of alternative texts inside their attributes', () => {
    expect(render('[x](<#" onclick="alert(1)>)')).not.toContain('onclick="')
    expect(render('![" onerror="alert(1)](x.webp)')).toBe(
      '<p><img src="x.webp" alt="&quot; onerror=&quot;alert(1)"></p>',
    )
  })

  it('shows a link without an address as plain text', () => {
    expect(render('[run](javascript:alert(1)) and ![picture](data:x)', () => null)).toBe('<p>run and picture</p>')
  })

  it('lets the path in a piece of code break, but nothing else', () => {
    expect(render('`PUT /v1/bots/{id} a/ /`')).toBe('<p><code>PUT /<wbr>v1/<wbr>bots/<wbr>{id} a/ /</code></p>')
  })

  it('has no header cell without a text, which screen readers would announce', () => {
    expect(render('|  | a |\n|---|---|\n| b | |').replaceAll('\n', '')).toContain(
      '<tr><td></td><th scope="col">a</th></tr></thead><tbody><tr><td>b</td><td></td></tr>',
    )
  })

  it('leaves comments out', () => {
    expect(render('<!-- bench: written by a program -->\n\ntext')).toBe('<p>text</p>')
  })

  it('collects the headings with their plain titles', () => {
    expect(renderMarkdown('# A `b`\n\ntext\n\n## A *b*\n', link => link).headings).toEqual([
      { level: 1, title: 'A b', anchor: 'a-b' },
      { level: 2, title: 'A b', anchor: 'a-b-1' },
    ])
  })

  it('marks the table of contents, which pages with room for it have beside the text', () => {
    expect(render('- [A](#a)\n- [B](#b)')).toContain('<ul class="contents">')
    expect(render('- [A](#a)\n- [B](#b) and more')).toContain('<ul>')
  })
})
