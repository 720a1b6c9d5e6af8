import fc from 'fast-check'
import { Lexer } from 'marked'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { scale } from '../../testScale.ts'
import { createFixture, reply, words } from '../testing/markdownFixtures.tsx'

afterEach(() => {
  vi.restoreAllMocks()
  document.body.replaceChildren()
})

// Thousands of drawings: a hang is what it guards against, not a slow machine.
const longMs = 60_000

describe('a reply that grows', () => {
  test(
    'never takes back a word, and never shows a mark',
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
    longMs,
  )

  test(
    'never changes a block that another has followed, whatever comes',
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
    longMs,
  )

  test('keeps the nodes of what is finished, those of the growing block too when it is stored', () => {
    const { draw } = createFixture()
    const first = draw('**One**\n\ntwo', { isStreaming: true }).firstChild
    expect(draw('**One**\n\ntwo three\n\n- f', { isStreaming: true }).firstChild).toBe(first)
    expect(draw('**One**\n\ntwo three\n\n- four').firstChild).toBe(first)
  })

  test('is read in its last block only', () => {
    const { draw } = createFixture()
    const text = '**word** and [a link](https://a.example)\n\n'.repeat(30)
    draw(`${text}on`, { isStreaming: true })
    const lex = vi.spyOn(Lexer.prototype, 'lex')
    draw(`${text}one **mo`, { isStreaming: true })
    expect(lex.mock.calls).toEqual([['one **mo**']])
  })
})
