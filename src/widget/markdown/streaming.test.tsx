import fc from 'fast-check'
import { Lexer } from 'marked'
import { render } from 'preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { scale } from '../../testScale.ts'
import { en } from '../i18n/en.ts'
import { createFixture, reply, words } from '../testing/markdownFixtures.tsx'
import { Markdown } from './index.ts'

afterEach(() => {
  vi.restoreAllMocks()
  document.body.replaceChildren()
})

// For thousands of renderings. It detects a hang and does not depend on the machine's speed.
const longTimeoutMs = 60_000

describe('a streamed reply', () => {
  test(
    'never removes a word and never shows a Markdown character',
    () => {
      const { draw } = createFixture()
      let before = ''
      for (let end = 1; end <= reply.length; end++) {
        const now = words(draw(reply.slice(0, end), { isStreaming: true }))
        expect(now.startsWith(before)).toBe(true)
        expect(now).not.toMatch(/\*\*|\]\(|\|-|```|[*_~`|[]$/)
        before = now
      }
      expect(words(draw(reply))).toBe(before)
    },
    longTimeoutMs,
  )

  test(
    'never changes a finished block, for any text',
    () => {
      const part = fc.constantFrom(
        ...[
          '\n',
          '\n\n',
          '    ',
          ' ',
          'word',
          'two words',
          '**',
          '*',
          '_',
          '`',
          '```',
          '```js\n',
          '~~~',
          '- ',
          '1. ',
          '> ',
        ],
        ...[
          '# ',
          '|',
          '|-|',
          '---',
          '[',
          ']',
          '](',
          '(https://a.example)',
          ')',
          '![',
          '<b>',
          '&amp;',
          '&#',
          '\\',
          '===',
        ],
      )
      fc.assert(
        fc.property(fc.array(part, { maxLength: 25 }), parts => {
          const { draw } = createFixture()
          const text = parts.join('')
          let finished: string[] = []
          for (let end = 1; end <= text.length; end++) {
            const shown = text.slice(0, end)
            const blocks = Array.from(draw(shown, { isStreaming: true }).children, block => block.outerHTML)
            expect(blocks.slice(0, finished.length)).toEqual(finished)
            if (/\n\n\w\w$/.test(shown)) finished = blocks.slice(0, -1)
          }
        }),
        { seed: scale.seed },
      )
    },
    longTimeoutMs,
  )

  test('keeps the DOM elements of finished blocks, and of the last one when the reply is stored', () => {
    const { draw } = createFixture()
    const first = draw('**One**\n\ntwo', { isStreaming: true }).firstChild
    expect(draw('**One**\n\ntwo three\n\n- f', { isStreaming: true }).firstChild).toBe(first)
    expect(draw('**One**\n\ntwo three\n\n- four').firstChild).toBe(first)
  })

  test('only tokenizes its last block again', () => {
    const { draw } = createFixture()
    const text = '**word** and [a link](https://a.example)\n\n'.repeat(30)
    draw(`${text}on`, { isStreaming: true })
    const lex = vi.spyOn(Lexer.prototype, 'lex')
    draw(`${text}one **mo`, { isStreaming: true })
    expect(lex.mock.calls).toEqual([['one **mo**']])
  })

  test('catches up frame by frame with what came before it could be parsed, and shows all of it meanwhile', async () => {
    const box = document.body.appendChild(document.createElement('div'))
    const text = 'Some **words** and more.\n\n'.repeat(40)
    const lex = vi.spyOn(Lexer.prototype, 'lex')
    render(<Markdown text={text} images={false} isStreaming strings={en} />, box)
    expect(lex.mock.calls.length).toBeLessThan(10)
    const plain = words(box).replace(/\*/g, '')
    expect(plain).toBe('Somewordsandmore.'.repeat(40))
    await vi.waitFor(() => expect(box.querySelectorAll('strong')).toHaveLength(40), 15_000)
    expect(words(box)).toBe(plain)
  })

  test('parses what is left at once when the reply is complete', () => {
    const box = document.body.appendChild(document.createElement('div'))
    const text = 'Some **words** and more.\n\n'.repeat(40)
    for (const isStreaming of [true, false])
      render(<Markdown text={text} images={false} isStreaming={isStreaming} strings={en} />, box)
    expect(box.querySelectorAll('strong')).toHaveLength(40)
  })

  test('still formats paragraphs and quotes of many lines that become longer than the maximum block length', () => {
    const { draw } = createFixture()
    const text = `> ${'quoted **words**\n> '.repeat(300)}end\n\n${'plain **words**\n'.repeat(300)}`
    for (let end = 100; end < text.length + 100; end += 100)
      expect(words(draw(text.slice(0, end), { isStreaming: end < text.length }))).not.toContain('*')
  })
})
