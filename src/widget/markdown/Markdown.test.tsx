import { fireEvent, waitFor, within } from '@testing-library/preact'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { anyCharacter } from '../../contract/testing/anyCharacter.ts'
import { scale } from '../../testScale.ts'
import { createFixture, words } from '../testing/markdownFixtures.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  document.body.replaceChildren()
})

const link = (address: string, text: string) =>
  `<a href="${address}" target="_blank" rel="noopener noreferrer">${text}</a>`

// For thousands of renderings. It detects a hang and does not depend on the machine's speed.
const longTimeoutMs = 60_000

describe('Markdown', () => {
  test.each([
    ['paragraphs, with their line breaks', 'One\ntwo\n\nthree', '<p dir="auto">One\ntwo</p><p dir="auto">three</p>'],
    [
      'emphasis and code',
      '**a** _b_ ~~c~~ `d`',
      '<p dir="auto"><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>',
    ],
    [
      'headings, one level below the panel’s own',
      '# One\n#### Four',
      '<h3 dir="auto">One</h3><h6 dir="auto">Four</h6>',
    ],
    ['nested lists', '3. a\n   - b\n4. c', '<ol dir="auto" start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>'],
    ['tasks', '- [x] a\n- [ ] b', '<ul dir="auto"><li>☑ a</li><li>☐ b</li></ul>'],
    ['a block quote', '> **a**', '<blockquote dir="auto"><p><strong>a</strong></p></blockquote>'],
    ['a horizontal rule', 'a\n\n***\n\nb', '<p dir="auto">a</p><hr><p dir="auto">b</p>'],
    [
      'a table',
      '| a | b |\n|---|--:|\n| c | `d` |',
      '<div class="scroll" dir="auto" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th>a</th><th align="right">b</th></tr></thead>' +
        '<tbody><tr><td>c</td><td align="right"><code>d</code></td></tr></tbody></table></div>',
    ],
    [
      'a link',
      '[**a**](https://a.example "b")',
      `<p dir="auto">${link('https://a.example', '<strong>a</strong>').replace(' target', ' title="b" target')}</p>`,
    ],
    [
      'an address without markup',
      'https://a.example.',
      `<p dir="auto">${link('https://a.example', 'https://a.example')}.</p>`,
    ],
    ['a mail address', 'k@a.example', `<p dir="auto">${link('mailto:k@a.example', 'k@a.example')}</p>`],
    ['a link by reference', '[a]\n\n[a]: https://a.example', `<p dir="auto">${link('https://a.example', 'a')}</p>`],
    ['entities', '&lt;b&gt; &#8364; &zzz; \\*', '<p dir="auto">&lt;b&gt; € &amp;zzz; *</p>'],
    [
      'the first heading as the highest level',
      '## One\n### Two\n# Three',
      '<h3 dir="auto">One</h3><h4 dir="auto">Two</h4><h3 dir="auto">Three</h3>',
    ],
    ['an underlined paragraph as a paragraph', 'a\n===', '<p dir="auto">a\n===</p>'],
    ['CRLF line ends', '# a\r\n\r\nb', '<h3 dir="auto">a</h3><p dir="auto">b</p>'],
    ['a list from 0', '0. a\n1. b', '<ol dir="auto" start="0"><li>a</li><li>b</li></ol>'],
    [
      'a list below a number that is indented by two, and what is deeper',
      '9. a\n  - b\n    - c\n\n  - d\n10. e\n  1. f',
      '<ol dir="auto" start="9"><li>a<ul><li><p>b</p><ul><li>c</li></ul></li><li><p>d</p></li></ul></li>' +
        '<li>e<ol><li>f</li></ol></li></ol>',
    ],
    ['line breaks of HTML', 'a<br>b<BR />c', '<p dir="auto">a<br>b<br>c</p>'],
    [
      'a link with a space in its address',
      '[a](https://a.example/b c (1).pdf)',
      `<p dir="auto">${link('https://a.example/b c (1).pdf', 'a')}</p>`,
    ],
    ['a phone number', '[+47 12](tel:+4712)', `<p dir="auto">${link('tel:+4712', '+47 12')}</p>`],
    [
      'a phone number behind a word',
      '[Call us](tel:+4712)',
      `<p dir="auto">${link('tel:+4712', 'Call us<bdi> (+4712)</bdi>')}</p>`,
    ],
    [
      'a link without a text',
      '[](https://a.example)',
      `<p dir="auto">${link('https://a.example', 'https://a.example')}</p>`,
    ],
    [
      'footnotes',
      'a[^1]\n\n[^1]: https://a.example',
      `<p dir="auto">a<sup>1</sup></p><p dir="auto"><sup>1</sup>: ${link('https://a.example', 'https://a.example')}</p>`,
    ],
    [
      'entities by name and by number',
      '&laquo;&#201;t&#xe9;&raquo; &rarr;&hellip; &#38;lt;',
      '<p dir="auto">«Été» →… &amp;lt;</p>',
    ],
    ['one tilde as a tilde', '9~12, 13~18 ~~19~~', '<p dir="auto">9~12, 13~18 <del>19</del></p>'],
    [
      'a cell more than the table has columns',
      '| a | b |\n|---|---|\n| c | d | e \\| f |',
      '<div class="scroll" dir="auto" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d | e | f</td></tr></tbody></table></div>',
    ],
  ])('renders %s', (_, text, html) => {
    expect(createFixture().draw(text).innerHTML).toBe(html)
  })

  test.each([
    ['これは**「強調」**です。', '「強調」'],
    ['**強調。**次の文', '強調。'],
    ['价格**（50%）**是', '（50%）'],
    ['增长了**50%**的', '50%'],
    ['그는**"네"**라고', '"네"'],
    ['これは**"A"**です', '"A"'],
    ['使用**`b`**和', 'b'],
    ['これは~~「削除」~~です', '「削除」'],
    ['ab**「強調」**cd', '「強調」'],
    ['𠮷**（強）**𠮷', '（強）'],
  ])(
    'formats text beside the punctuation of Chinese, Japanese and Korean, also while it streams in: %s',
    (text, marked) => {
      const { draw } = createFixture()
      for (let end = 1; end < text.length; end++)
        expect(words(draw(text.slice(0, end), { isStreaming: true }))).not.toMatch(/\*\*|~~/)
      const box = draw(text)
      expect(box.querySelector('strong, del')?.textContent).toBe(marked)
      expect(box.textContent).toBe(text.replace(/\*|~|`/g, ''))
    },
  )

  test('formats no part of what only looks like emphasis in Chinese, Japanese and Korean', () => {
    for (const text of ['日本_語_です', '2 ** 3 ** 4', '数** 字** です'])
      expect(createFixture().draw(text).innerHTML).toBe(`<p dir="auto">${text}</p>`)
  })

  test.each(['```js\nlet a = "<b>"\n\n**b**\n```', '    let a = "<b>"\n\n    **b**'])('renders code verbatim', text => {
    const code = createFixture().draw(text).querySelector('pre')
    expect(code?.textContent).toBe('let a = "<b>"\n\n**b**')
    expect(code?.closest('.code')?.getAttribute('dir')).toBe('ltr')
  })

  test('copies code, confirms it, and clears the confirmation when the button loses the focus', async () => {
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
    const { draw } = createFixture()
    const view = within(draw('```sh\nnpm ci\n```'))
    const button = view.getByRole('button', { name: 'Copy' })
    fireEvent.click(button)
    await waitFor(() => expect(view.getByRole('status').textContent).toBe('Copied'))
    expect(copied).toEqual(['npm ci'])
    fireEvent.blur(button)
    expect(view.getByRole('status').textContent).toBe('')
  })

  test('shows no Copy button without a clipboard', () => {
    vi.stubGlobal('navigator', {})
    expect(createFixture().draw('```\na\n```').querySelector('button')).toBeNull()
  })

  test('shows images only if the bot allows them, otherwise a link with their text', () => {
    const { draw } = createFixture()
    const text = '![A boot](https://a.example/b.png)'
    expect(draw(text).innerHTML).toBe(`<p dir="auto">${link('https://a.example/b.png', 'A boot')}</p>`)
    const image = draw(text, { images: true }).querySelector('img')
    expect([image?.src, image?.alt]).toEqual(['https://a.example/b.png', 'A boot'])
    expect(image?.getAttribute('referrerpolicy')).toBe('no-referrer')
    for (const address of ['data:image/png,x', 'mailto:a@b.example', 'javascript:alert(1)'])
      expect(draw(`![a](${address})`, { images: true }).querySelector('img')).toBeNull()
  })

  test.each([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<div>\n\n<a href="javascript:alert(1)">a</a>\n\n</div>',
    '<svg/onload=alert(1)>',
    '<!-- a -->',
    '<style>*{display:none}</style>',
  ])('renders HTML as text: %s', text => {
    const box = createFixture().draw(text, { images: true })
    expect(words(box)).toBe(text.replace(/\s/g, ''))
    expect(box.querySelectorAll(':not(p)')).toHaveLength(0)
  })

  test.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](&#106;avascript:alert(1))',
    '[a](java&Tab;script:alert(1))',
    '[a](data:text/html,<script>alert(1)</script>)',
    '[a](vbscript:x)',
    '[a](//evil.example)',
    '[a](/path)',
    '[a](file:///etc/passwd)',
    '<javascript:alert(1)>',
    '[a]\n\n[a]: javascript:alert(1)',
    '![a](javascript:alert(1))',
    '[a](<javascript:alert(1)>)',
    '[a]( \u00a0javascript:alert(1))',
    '[a](javascript:open`https://a.example`)',
  ])('does not link other URL schemes: %s', text => {
    expect(createFixture().draw(text, { images: true }).querySelectorAll('a, img')).toHaveLength(0)
  })

  test.each([
    ['tags of other namespaces', '<ns:element> and <xs:string/>'],
    ['a definition that no link can use', '[Note]: important'],
    ['a tag in a list', '- <b>a</b>\n- <hr>'],
    ['a tag in a table', '| <b> | </b> |\n|---|---|\n| <hr> | <!-- a --> |'],
    ['a tag in a heading', '# <h1>a</h1>'],
    ['a processing instruction', 'a <?php echo 1 ?> b'],
    ['CDATA', '<![CDATA[ a ]]>'],
    ['an unfinished tag', 'a <div\nb'],
    ['a link whose address is not allowed', '[a](/b) ![c](data:d) [e](tel:f "g) [h](www.i)'],
    ['definitions that no link uses', 'a\n\n[b]: https://c.example\n[b]: https://d.example "e"'],
    ['the words behind the language of code', '~~~a b`c\nd'],
  ])('drops no text of %s', (_, text) => {
    const marks = /^#|[\s|]|-{3}|^- |\n- |~/gm
    expect(words(createFixture().draw(text))).toBe(text.replace(marks, ''))
  })

  test.each(['![a [b]](https://d.example)', '[a [b]](https://d.example)'])(
    'drops no definition whose label is only in the text of a picture or a link: %s',
    text => {
      expect(words(createFixture().draw(`[b]: https://c.example\n\n${text}`))).toBe('[b]:https://c.examplea[b]')
    },
  )

  test.each([
    ['<div>**a**</div>', '&lt;div&gt;<strong>a</strong>&lt;/div&gt;'],
    ['<p>\n*a* `b`\n</p>', '&lt;p&gt;\n<em>a</em> <code>b</code>\n&lt;/p&gt;'],
    ['a <b>[c](https://a.example)</b>', `a &lt;b&gt;${link('https://a.example', 'c')}&lt;/b&gt;`],
    ['x < y and **z** > 1', 'x &lt; y and <strong>z</strong> &gt; 1'],
    ['<b title="**a**">', '&lt;b title="**a**"&gt;'],
  ])('formats text between HTML tags: %s', (text, html) => {
    expect(createFixture().draw(text).innerHTML).toBe(`<p dir="auto">${html}</p>`)
  })

  test.each([
    ['https://en.example/wiki/Boot_(shoe)', 'https://en.example/wiki/Boot_(shoe)', ''],
    ['(https://en.example/wiki/Boot_(shoe))', 'https://en.example/wiki/Boot_(shoe)', ')'],
    ['https://a.example/f(g(x)),', 'https://a.example/f(g(x))', ','],
    ['**https://a.example/b**', 'https://a.example/b', ''],
    ['<https://a.example/b_(c)>', 'https://a.example/b_(c)', ''],
    ['[https://a.example/f(g(x))](https://a.example/f(g(x)))', 'https://a.example/f(g(x))', ''],
  ])('keeps balanced brackets in a URL: %s', (text, address, rest) => {
    const box = createFixture().draw(text)
    expect([...box.querySelectorAll('a')].map(({ href }) => href)).toEqual([address])
    expect(box.textContent).toBe(text.startsWith('(') ? `(${address}${rest}` : address + rest)
  })

  test.each([
    ['[https://bank.example](https://evil.example)', 'https://bank.example (evil.example)'],
    ['[**bank**.example](https://evil.example)', 'bank.example (evil.example)'],
    ['[bank&#46;example](https://evil.example)', 'bank.example (evil.example)'],
    ['[`bank.example`](mailto:kim@evil.example)', 'bank.example (kim@evil.example)'],
    ['[![bank.example](https://a.example/b.png)](https://evil.example)', 'bank.example (evil.example)'],
    ['[our page](https://acme.example)', 'our page'],
  ])('shows the destination of a link whose text names another one: %s', (text, shown) => {
    const box = createFixture().draw(text)
    expect(box.querySelectorAll('a')).toHaveLength(1)
    expect(box.querySelector('a')?.textContent).toBe(shown)
  })

  test(
    'creates only the allowed elements and attributes, for any text',
    () => {
      const chunk = fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 6 }),
        fc.constantFrom(
          '\n',
          '\n\n',
          '- ',
          '> ',
          '|',
          '|-|',
          '`',
          '```',
          '**',
          '_',
          '[',
          '](',
          ')',
          '<a href=',
          '![',
          '"',
        ),
        fc.constantFrom(
          'javascript:',
          'https://',
          'onclick=',
          '&#x6a;',
          '\\',
          '\0',
          '__proto__',
          '[a]: ',
          '<!--',
          '    ',
        ),
      )
      const allowed = new Set(
        'class type dir href title target rel start align tabindex role aria-label aria-hidden viewBox d'.split(' '),
      )
      const { draw } = createFixture()
      fc.assert(
        fc.property(fc.array(chunk, { maxLength: 25 }), fc.boolean(), (chunks, isStreaming) => {
          const box = draw(chunks.join(''), { isStreaming }, chunks.join(''))
          for (const element of box.querySelectorAll('*')) {
            const names = element.getAttributeNames()
            expect(names.filter(name => !allowed.has(name))).toEqual([])
            expect(element.getAttribute('href') ?? 'https://').toMatch(/^(https?:\/\/|mailto:|tel:)/i)
          }
        }),
        { seed: scale.seed },
      )
    },
    longTimeoutMs,
  )

  test(
    'loses no word, whatever stands around it',
    () => {
      const piece = fc.constantFrom<(word: string) => string>(
        ...['', ' ', '\n', '\n\n', '    ', '- ', '1. ', '  - ', '> ', '# ', '|', '|-|-|\n', '```', '~~~'].map(
          mark => () => mark,
        ),
        ...['**', '*', '_', '~', '~~', '`', '[', ']', '![', '<', '>', '\\', '<br>', '「', '」', '。', '"'].map(
          mark => () => mark,
        ),
        ...['(', ')', '&', '!', '@a.example', "'", 'é', '日', '](', '](https://a.example/b c)', '[ref]'].map(
          mark => () => mark,
        ),
        word => word,
        word => word,
        word => ` ${word} `,
        word => `](https://a.example/${word})`,
        word => `](https://a.example/${word} "${word}")`,
        word => `](/${word})`,
        word => `](tel:${word})`,
        word => `[](https://a.example/${word})`,
        word => `<${word} a="${word}">`,
        word => `<!-- ${word} -->`,
        word => `| ${word}a | ${word}b |\n|---|---|\n| ${word}c | ${word}d | ${word}e |\n`,
        word => `\n[${word}]: https://a.example/${word} "${word}"\n`,
        word => `\n[ref]: https://a.example/${word}\n`,
        word => `[^${word}]\n[^${word}]: ${word}`,
        word => `\`\`\`${word}a ${word}b\n`,
        word => `&${word};`,
        word => `https://a.example/${word}。`,
      )
      const { draw } = createFixture()
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 14 }), pieces => {
          const text = pieces.map((piece, index) => piece(`w${index}w`)).join('')
          const box = draw(text)
          const attributes = [...box.querySelectorAll('a')].flatMap(a => [a.href, a.title])
          const shown = [box.textContent, ...attributes].join(' ')
          expect((text.match(/w\d+w[a-e]?/g) ?? []).filter(word => !shown.includes(word))).toEqual([])
        }),
        { seed: scale.seed, numRuns: 1000 },
      )
    },
    longTimeoutMs,
  )

  test(
    'loses no mark that has no effect',
    () => {
      const piece = fc.constantFrom(
        ...[
          'a',
          'b c',
          ' ',
          '1',
          '日',
          '語',
          '「',
          '」',
          '。',
          '！',
          '(',
          ')',
          '"',
          "'",
          '“',
          '<',
          '>',
          '&',
          '@',
          '.',
          ',',
          '!',
        ],
        ...['*', '**', '***', '_', '__', '~', '~~', '~~~', '`', '[', ']'],
      )
      const { draw } = createFixture()
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 20 }), pieces => {
          const text = `x${pieces.join('')}`
          const box = draw(text)
          const count = (text: string, marks: RegExp) => text.match(marks)?.length ?? 0
          const elements = (name: string) => box.querySelectorAll(name).length
          const shown = box.textContent
          expect(shown.replace(/[*_~`\s]/g, '')).toBe(text.replace(/[*_~`\s]/g, ''))
          expect(count(shown, /[*_]/g)).toBe(count(text, /[*_]/g) - 2 * elements('em') - 4 * elements('strong'))
          expect(count(shown, /~/g)).toBe(count(text, /~/g) - 4 * elements('del'))
        }),
        { seed: scale.seed, numRuns: 1000 },
      )
    },
    longTimeoutMs,
  )

  test('shows text verbatim that is nested too deeply or too long for one block', () => {
    const { draw } = createFixture()
    const deep = `${'> '.repeat(20)}a`
    expect(draw(deep).innerHTML).toBe(`<p dir="auto">${deep.replaceAll('>', '&gt;')}</p>`)
    const long = `**${'word '.repeat(1000)}**`
    expect(draw(long).textContent).toBe(long)
    expect(draw(`${long}\n\n**b**`).querySelector('strong')?.textContent).toBe('b')
  })
})
