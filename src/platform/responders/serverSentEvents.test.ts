import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scale } from '../../testScale.ts'
import { readServerSentEvents } from './serverSentEvents.ts'

async function read(chunks: Iterable<string>): Promise<string[]> {
  async function* arrive() {
    yield* chunks
  }
  const events: string[] = []
  for await (const event of readServerSentEvents(arrive())) events.push(event)
  return events
}

/** The text split at these positions. */
function cut(text: string, places: number[]): string[] {
  const ends = places.map(position => position % (text.length + 1)).toSorted((a, b) => a - b)
  return [0, ...ends].map((start, index) => text.slice(start, ends[index]))
}

describe('events of a stream', () => {
  it('are the same for any split and any line ending', async () => {
    const lines = ['data: one', 'data:two', ': a comment', 'event: x', '', '', 'data', 'data:  three', '', 'data: last']
    const events = ['one\ntwo', '\n three', 'last']
    const end = fc.constantFrom('\n', '\r', '\r\n')
    await fc.assert(
      fc.asyncProperty(end, fc.array(fc.nat(), { maxLength: 20 }), async (end, places) => {
        expect(await read(cut(lines.join(end), places))).toEqual(events)
      }),
      { seed: scale.seed },
    )
  })

  it('have an error in a field of its own, as old servers of llama.cpp write it', async () => {
    expect(await read(['data: one\n\nerror: {"message":"leaked"}\n\ndata: [DONE]\n\n'])).toEqual([
      ...['one', '{"error":true}', '[DONE]'],
    ])
  })

  it('take no longer if they arrive in many chunks', async () => {
    const text = `data: ${'x'.repeat(2 ** 20)}`
    // If each chunk scanned the whole line so far, this would take minutes.
    expect(await read(text)).toEqual([text.slice('data: '.length)])
  })
})
