import { fireEvent, waitFor, within } from '@testing-library/preact'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
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
      `<p dir="auto">${link('https://a.example', '<strong>a</strong>')}</p>`,
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
  ])('renders %s', (_, text, html) => {
    expect(createFixture().draw(text).innerHTML).toBe(html)
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
  ])('does not link other URL schemes: %s', text => {
    expect(createFixture().draw(text, { images: true }).querySelectorAll('a, img')).toHaveLength(0)
  })

  test.each([
    ['tags of other namespaces', '<ns:element> and <xs:string/>'],
    ['a definition that no link can use', '[Note]: important'],
    ['a tag in a list', '- <b>a</b>\n- <br>'],
    ['a tag in a table', '| <b> | </b> |\n|---|---|\n| <br> | <!-- a --> |'],
    ['a tag in a heading', '# <h1>a</h1>'],
    ['a processing instruction', 'a <?php echo 1 ?> b'],
    ['CDATA', '<![CDATA[ a ]]>'],
    ['an unfinished tag', 'a <div\nb'],
  ])('drops no text of %s', (_, text) => {
    const marks = /^#|[\s|]|-{3}|^- |\n- /gm
    expect(words(createFixture().draw(text))).toBe(text.replace(marks, ''))
  })

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
        fc.string({ unit: 'binary', maxLength: 6 }),
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
        'class type dir href target rel start align tabindex role aria-label aria-hidden viewBox d'.split(' '),
      )
      const { draw } = createFixture()
      fc.assert(
        fc.property(fc.array(chunk, { maxLength: 25 }), fc.boolean(), (chunks, isStreaming) => {
          const box = draw(chunks.join(''), { isStreaming }, chunks.join(''))
          for (const element of box.querySelectorAll('*')) {
            const names = element.getAttributeNames()
            expect(names.filter(name => !allowed.has(name))).toEqual([])
            expect(element.getAttribute('href') ?? 'https://').toMatch(/^(https?:\/\/|mailto:)/i)
          }
        }),
        { seed: scale.seed },
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

  test.each([
    ['asterisks', '*'],
    ['words between emphasis marks', '**a _b ~~c `d '],
    ['brackets', '['],
    ['unfinished links', '[a]('],
    ['unfinished addresses in angle brackets', '[a](<b'],
    ['unfinished images', '!['],
    ['backticks', '`a``b'],
    ['block quotes', '>'],
    ['unfinished tags', '<a '],
    ['unfinished entities', '&#1'],
    ['table cells', '|a'],
    ['spaces', ' '],
    ['unfinished definitions', '[a]: <b "'],
    ['addresses', 'http://a.www.'],
    ['mail addresses', 'a@a.'],
    ['escapes', '\\'],
    ['rules', '- - '],
  ])(
    'takes linear time for many %s',
    (_, unit) => {
      const { draw } = createFixture()
      const median = (length: number) => {
        const text = unit.repeat(length / unit.length)
        const times = [0, 1, 2, 3, 4].map(round => {
          const start = performance.now()
          draw(text, { isStreaming: round % 2 === 0 }, `${length} ${round}`)
          return performance.now() - start
        })
        return times.toSorted((a, b) => a - b)[2] as number
      }
      median(2000)
      // Other load on the machine can distort single attempts. Quadratic time gives about 100 in every attempt.
      let ratio = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 5 && ratio >= 15; attempt++) {
        const short = Math.max(median(3900), 20)
        ratio = median(39_000) / short
      }
      expect(ratio).toBeLessThan(15)
    },
    longTimeoutMs,
  )
})
