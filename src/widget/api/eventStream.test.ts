import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scale } from '../../testScale.ts'
import { createSseParser, type SseEvent } from './eventStream.ts'

function parse(...chunks: string[]): SseEvent[] {
  const events: SseEvent[] = []
  const push = createSseParser(event => events.push(event))
  for (const chunk of chunks) push(chunk)
  return events
}

const slices = (text: string, cuts: number[]): string[] => {
  const at = [0, ...cuts.map(cut => cut % (text.length + 1)), text.length].sort((one, other) => one - other)
  return at.slice(1).map((end, index) => text.slice(at[index], end))
}

describe('createSseParser', () => {
  it('parses event names and data, and ignores comments and other fields', () => {
    expect(parse(': hello\n\nid: 7\nevent: message\ndata: {"a":1}\n\nretry: 5\nfoo\ndata\ndata:  two\n\n')).toEqual([
      { event: 'message', data: '{"a":1}' },
      { event: 'message', data: '\n two' },
    ])
  })

  it('emits nothing without data or before the blank line', () => {
    expect(parse('event: typing\n\ndata: x\n')).toEqual([])
  })

  it('emits the same events for any chunking and any line ending', () => {
    const line = fc.oneof(
      fc.constantFrom('event: message.delta', 'event:typing', ':', ': beat', 'id: 12', 'id', 'data', '', ''),
      fc.string({ unit: 'grapheme' }).map(text => `data: ${text.replace(/[\r\n]/g, ' ')}`),
    )
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
      .map(lines => `${lines.flat().join('')}data: end\n\n`)
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 40 }), (text, cuts) => {
        const whole = parse(text)
        expect(parse(...slices(text, cuts))).toEqual(whole)
        expect(parse(...text.split(/(?:)/u))).toEqual(whole)
        expect(whole.at(-1)?.data).toMatch(/end$/)
      }),
      { seed: scale.seed },
    )
  })
})
