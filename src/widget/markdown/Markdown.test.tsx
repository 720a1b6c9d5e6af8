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

// Thousands of drawings: a hang is what it guards against, not a slow machine.
const longMs = 60_000

describe('createMarkdown', () => {
  test.each([
    ['a paragraph, its lines', 'One\ntwo\n\nthree', '<p dir="auto">One\ntwo</p><p dir="auto">three</p>'],
    ['marks', '**a** _b_ ~~c~~ `d`', '<p dir="auto"><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>'],
    ['headings under the panel’s own', '# One\n#### Four', '<h3 dir="auto">One</h3><h6 dir="auto">Four</h6>'],
    [
      'lists in one another',
      '3. a\n   - b\n4. c',
      '<ol dir="auto" start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>',
    ],
    ['tasks', '- [x] a\n- [ ] b', '<ul dir="auto"><li>☑ a</li><li>☐ b</li></ul>'],
    ['a quotation', '> **a**', '<blockquote dir="auto"><p><strong>a</strong></p></blockquote>'],
    ['a rule', 'a\n\n***\n\nb', '<p dir="auto">a</p><hr><p dir="auto">b</p>'],
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
    ['a bare address', 'https://a.example.', `<p dir="auto">${link('https://a.example', 'https://a.example')}.</p>`],
    ['an address of mail', 'k@a.example', `<p dir="auto">${link('mailto:k@a.example', 'k@a.example')}</p>`],
    ['a reference', '[a]\n\n[a]: https://a.example', `<p dir="auto">${link('https://a.example', 'a')}</p>`],
    ['characters by name and number', '&lt;b&gt; &#8364; &zzz; \\*', '<p dir="auto">&lt;b&gt; € &amp;zzz; *</p>'],
    [
      'the first heading as the highest',
      '## One\n### Two\n# Three',
      '<h3 dir="auto">One</h3><h4 dir="auto">Two</h4><h3 dir="auto">Three</h3>',
    ],
    ['a line under a paragraph as no heading', 'a\n===', '<p dir="auto">a\n===</p>'],
    ['CRLF', '# a\r\n\r\nb', '<h3 dir="auto">a</h3><p dir="auto">b</p>'],
  ])('draws %s', (_, text, html) => {
    expect(createFixture().draw(text).innerHTML).toBe(html)
  })

  test.each(['```js\nlet a = "<b>"\n\n**b**\n```', '    let a = "<b>"\n\n    **b**'])(
    'draws code as it stands',
    text => {
      const code = createFixture().draw(text).querySelector('pre')
      expect(code?.textContent).toBe('let a = "<b>"\n\n**b**')
      expect(code?.closest('.code')?.getAttribute('dir')).toBe('ltr')
    },
  )

  test('copies code, says so, and is silent again when the button is left', async () => {
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

  test('offers no copy where there is no clipboard', () => {
    vi.stubGlobal('navigator', {})
    expect(createFixture().draw('```\na\n```').querySelector('button')).toBeNull()
  })

  test('shows pictures only where the bot allows them, else their text as a link', () => {
    const { draw } = createFixture()
    const text = '![A boot](https://a.example/b.png)'
    expect(draw(text).innerHTML).toBe(`<p dir="auto">${link('https://a.example/b.png', 'A boot')}</p>`)
    const picture = draw(text, { images: true }).querySelector('img')
    expect([picture?.src, picture?.alt]).toEqual(['https://a.example/b.png', 'A boot'])
    expect(picture?.getAttribute('referrerpolicy')).toBe('no-referrer')
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
  ])('draws markup as text: %s', text => {
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
  ])('links no address of another scheme: %s', text => {
    expect(createFixture().draw(text, { images: true }).querySelectorAll('a, img')).toHaveLength(0)
  })

  test(
    'makes no other elements and attributes than these, whatever is written',
    () => {
      const piece = fc.oneof(
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
        fc.property(fc.array(piece, { maxLength: 25 }), fc.boolean(), (pieces, isStreaming) => {
          const box = draw(pieces.join(''), { isStreaming }, pieces.join(''))
          for (const element of box.querySelectorAll('*')) {
            const names = element.getAttributeNames()
            expect(names.filter(name => !allowed.has(name))).toEqual([])
            expect(element.getAttribute('href') ?? 'https://').toMatch(/^(https?:\/\/|mailto:)/i)
          }
        }),
        { seed: scale.seed },
      )
    },
    longMs,
  )

  test('shows what is too deep, or too long for one block, as it has been written', () => {
    const { draw } = createFixture()
    const deep = `${'> '.repeat(20)}a`
    expect(draw(deep).innerHTML).toBe(`<p dir="auto">${deep.replaceAll('>', '&gt;')}</p>`)
    const long = `**${'word '.repeat(1000)}**`
    expect(draw(long).textContent).toBe(long)
    expect(draw(`${long}\n\n**b**`).querySelector('strong')?.textContent).toBe('b')
  })

  test.each([
    ['stars', '*'],
    ['words in marks', '**a _b ~~c `d '],
    ['brackets', '['],
    ['links begun', '[a]('],
    ['links to nothing', '[a](<b'],
    ['pictures begun', '!['],
    ['backticks', '`a``b'],
    ['quotations', '>'],
    ['angles', '<a '],
    ['characters begun', '&#1'],
    ['cells', '|a'],
    ['spaces', ' '],
    ['references', '[a]: <b "'],
    ['addresses', 'http://a.www.'],
    ['addresses of mail', 'a@a.'],
    ['escapes', '\\'],
    ['rules', '- - '],
  ])(
    'takes ten times as long for ten times as many %s',
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
      // What else the machine does spoils single attempts; what is quadratic comes to a hundred in each.
      let ratio = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 5 && ratio >= 15; attempt++) {
        const short = Math.max(median(3900), 20)
        ratio = median(39_000) / short
      }
      expect(ratio).toBeLessThan(15)
    },
    longMs,
  )
})
