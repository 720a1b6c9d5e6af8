import { describe, expect, it } from 'vitest'
import { createEventStream, encodeEvent, maxBuffered } from './eventStream.ts'

/** A connection whose reader reads nothing until told to. */
function createSink({ destroyed = false } = {}) {
  let waiting: { bytes: Uint8Array; onTaken: (() => void) | undefined }[] = []
  let onClose = (): void => {}
  const written: string[] = []
  return {
    destroyed,
    written,
    ended: false,
    get writableLength() {
      return waiting.reduce((sum, { bytes }) => sum + bytes.length, 0)
    },
    write(bytes: Uint8Array, onTaken?: () => void) {
      written.push(new TextDecoder().decode(bytes))
      waiting.push({ bytes, onTaken })
    },
    end() {
      this.ended = true
    },
    on(_: 'close', listener: () => void) {
      onClose = listener
    },
    take() {
      const taken = waiting
      waiting = []
      for (const { onTaken } of taken) onTaken?.()
    },
    hangUp: () => onClose(),
  }
}
function openStream() {
  const happened: string[] = []
  const stream = createEventStream({
    onClose: () => happened.push('closed'),
    onOverflow: () => happened.push('overflowed'),
  })
  return { stream, happened }
}
const typing = encodeEvent({ event: 'typing', data: { author: 'bot' } })
const half = new Uint8Array(maxBuffered / 2)

describe('createEventStream', () => {
  it('buffers what is sent before it is piped, after the first comment', () => {
    const { stream } = openStream()
    const sink = createSink()
    stream.send(typing)
    stream.pipeTo(sink)
    stream.send(typing)
    expect(sink.written).toEqual([': \n\n', ...Array(2).fill('event: typing\ndata: {"author":"bot"}\n\n')])
  })

  it('starts with the given event instead of the comment', () => {
    const stream = createEventStream({ firstEvent: typing, onClose() {}, onOverflow() {} })
    const sink = createSink()
    stream.send(typing)
    stream.pipeTo(sink)
    expect(sink.written).toEqual(Array(2).fill('event: typing\ndata: {"author":"bot"}\n\n'))
  })

  it('delivers the event it was closed with before it was piped', () => {
    const { stream, happened } = openStream()
    const sink = createSink()
    stream.send(typing)
    stream.close(700)
    stream.pipeTo(sink)
    expect(sink.written.at(-1)).toBe('retry: 700\n\n')
    expect([sink.ended, happened]).toEqual([true, ['closed']])
  })

  it('closes when its reader disconnects, or if it already had before it was piped', () => {
    const [first, second] = [openStream(), openStream()]
    const sink = createSink()
    first.stream.pipeTo(sink)
    expect(first.happened).toEqual([])
    sink.hangUp()
    second.stream.pipeTo(createSink({ destroyed: true }))
    expect([first.happened, second.happened]).toEqual([['closed'], ['closed']])
    first.stream.send(typing)
    expect(sink.written).toHaveLength(1)
  })

  it('closes once if its reader leaves too much unread, also before it is piped', () => {
    for (const flows of [true, false]) {
      const { stream, happened } = openStream()
      const sink = createSink()
      if (flows) stream.pipeTo(sink)
      for (let count = 0; count < 4; count++) stream.send(half)
      expect(happened).toEqual(['closed', 'overflowed'])
      if (!flows) stream.pipeTo(sink)
      expect(sink.ended).toBe(true)
      expect(sink.writableLength).toBeLessThan(maxBuffered + half.length)
    }
  })

  it('is drained when it is piped and less than half of its buffer is used, or when it is closed', async () => {
    const { stream } = openStream()
    const sink = createSink()
    let drained = 0
    const drain = async () => {
      await stream.drained()
      drained++
    }
    const settle = () => new Promise(resolve => setImmediate(resolve))
    void drain()
    await settle()
    expect(drained).toBe(0)
    stream.pipeTo(sink)
    await settle()
    expect(drained).toBe(1)
    stream.send(half)
    void drain()
    await settle()
    expect(drained).toBe(1)
    sink.take()
    await settle()
    expect(drained).toBe(2)
    stream.send(half)
    void drain()
    stream.close()
    await settle()
    expect(drained).toBe(3)
  })
})
