import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { comment, createEventStream, encodeEvent, maxBuffered } from './eventStream.ts'

/** A connection whose reader reads nothing until told to. */
const createSink = () => new PassThrough({ readableHighWaterMark: 0 })
/** Reads everything that was written. */
function take(sink: PassThrough): string {
  let text = ''
  for (let bytes = sink.read(); bytes; bytes = sink.read()) text += bytes
  return text
}
const settle = () => new Promise(resolve => setImmediate(resolve))
function openStream() {
  const happened: string[] = []
  const stream = createEventStream({
    firstEvent: comment,
    onClose: () => happened.push('closed'),
    onOverflow: () => happened.push('overflowed'),
  })
  return { stream, happened }
}
const typing = encodeEvent({ event: 'typing', data: { author: 'bot' } })
const typingText = 'event: typing\ndata: {"author":"bot"}\n\n'
const half = new Uint8Array(maxBuffered / 2)

describe('createEventStream', () => {
  it.each([
    ['a comment', comment, ': \n\n'],
    ['the given event', typing, typingText],
  ])('begins with %s, and buffers what is sent before it is piped', (_, firstEvent, first) => {
    const stream = createEventStream({ firstEvent, onClose() {}, onOverflow() {} })
    const sink = createSink()
    stream.send(typing)
    stream.pipeTo(sink)
    stream.send(typing)
    expect(take(sink)).toBe(first + typingText + typingText)
  })

  it('delivers the event it was closed with before it was piped', () => {
    const { stream, happened } = openStream()
    const sink = createSink()
    stream.close(700)
    stream.pipeTo(sink)
    expect(take(sink)).toBe(': \n\nretry: 700\n\n')
    expect([sink.writableEnded, happened]).toEqual([true, ['closed']])
  })

  it('closes when its reader disconnects, or if it already had before it was piped', async () => {
    const [first, second] = [openStream(), openStream()]
    const sink = createSink()
    first.stream.pipeTo(sink)
    expect(first.happened).toEqual([])
    sink.destroy()
    second.stream.pipeTo(createSink().destroy())
    await settle()
    expect([first.happened, second.happened]).toEqual([['closed'], ['closed']])
    const write = vi.spyOn(sink, 'write')
    first.stream.send(typing)
    expect(write).not.toHaveBeenCalled()
  })

  it.each([true, false])('closes once if its reader leaves too much unread, if it was piped: %s', isPiped => {
    const { stream, happened } = openStream()
    const sink = createSink()
    if (isPiped) stream.pipeTo(sink)
    for (let count = 0; count < 4; count++) stream.send(half)
    expect(happened).toEqual(['closed', 'overflowed'])
    if (!isPiped) stream.pipeTo(sink)
    expect(sink.writableEnded).toBe(true)
    expect(sink.writableLength).toBeLessThan(maxBuffered + half.length)
  })

  it('is drained when it is piped and less than half of its buffer is used, or when it is closed', async () => {
    const { stream } = openStream()
    const sink = createSink()
    let drained = 0
    const drain = () => void stream.drained().then(() => drained++)
    const count = () => settle().then(() => drained)
    drain()
    expect(await count()).toBe(0)
    stream.pipeTo(sink)
    expect(await count()).toBe(1)
    stream.send(half)
    drain()
    expect(await count()).toBe(1)
    take(sink)
    expect(await count()).toBe(2)
    stream.send(half)
    drain()
    expect(await count()).toBe(2)
    stream.close()
    expect(await count()).toBe(3)
  })
})
