import { describe, expect, it } from 'vitest'
import { maxQuickReplies } from '../../contract/index.ts'
import { collect } from '../testing/scriptedResponder.ts'
import { readReply } from './webhookReply.ts'

/** Reads a reply that arrives in these chunks. */
function read(type: string | undefined, ...chunks: (string | Uint8Array)[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      controller.close()
    },
  })
  return collect(
    readReply(new Response(body, { headers: type === undefined ? {} : { 'content-type': type } }), () => {}),
  )
}
const json = (reply: unknown) => read('application/json', JSON.stringify(reply))
const events = (...pieces: object[]) =>
  read('text/event-stream', ...pieces.map(piece => `data: ${JSON.stringify(piece)}\n\n`), 'data: [DONE]\n\n')
const plain = { text: 'Yes.', format: 'plain', quickReplies: [], pieces: 1, silent: false }

describe('the reply of a webhook', () => {
  it('may be JSON with all that a message has, events, or plain text that is shown as it arrives', async () => {
    const reply = { text: 'It costs *nothing*.', format: 'markdown', quickReplies: ['Really?'] }
    expect(await json({ ...reply, unknown: 1 })).toEqual({ ...plain, ...reply })
    expect(await read('Application/JSON; charset=utf-8', '{"text":"Yes."}')).toEqual(plain)
    expect(await events({ text: 'Yes' }, { text: '.' })).toEqual({ ...plain, pieces: 2 })
    expect(await read('text/plain; charset=utf-8', 'One ', 'two.')).toMatchObject({ text: 'One two.', format: 'plain' })
  })

  it('has its sources unchecked, because a bad one must not cost the visitor the answer', async () => {
    const sources = [{ title: 'Returns', url: 'https://shop.example/returns' }, 'bad']
    for (const reply of [await json({ text: 'Yes.', sources }), await events({ text: 'Yes.' }, { sources })])
      expect(reply).toMatchObject({ text: 'Yes.', sources })
  })

  it('may have null for an optional field that is not there, as typed languages write it', async () => {
    const nulls = { format: null, quickReplies: null, sources: null, handOver: null }
    expect(await json({ text: 'Yes.', ...nulls })).toEqual(plain)
    const quickReplies = ['More']
    expect(await events({ text: 'Yes.', ...nulls }, { text: null, quickReplies })).toEqual({ ...plain, quickReplies })
  })

  it('hands over by handOver, with a text or without one, in one piece or streamed', async () => {
    for (const text of ['I ask a colleague.', ''])
      expect(await json({ text, handOver: true })).toMatchObject({ text, handOver: true })
    expect(await events({ text: 'One moment' }, { handOver: true })).toMatchObject({
      text: 'One moment',
      handOver: true,
    })
    expect(await json({ text: 'Yes.', handOver: false })).toEqual(plain)
  })

  it('may say what it does first: up to 80 characters of text', async () => {
    const progressOf = async (status: unknown) => (await events({ status }, { text: 'Yes.' })) as { progress?: object }
    expect(await progressOf('Asking…')).toEqual({ ...plain, progress: { status: 'Asking…' } })
    expect((await progressOf('😀'.repeat(81))).progress).toEqual({ status: '😀'.repeat(80) })
    expect((await progressOf('')).progress).toEqual({ status: '' })
    expect(await progressOf(null)).toEqual(plain)
  })

  it('is in the charset that it declares', async () => {
    const latin1 = Buffer.from('Olé.', 'latin1')
    expect(await read('text/plain; charset=ISO-8859-1', latin1)).toMatchObject({ text: 'Olé.' })
    const utf16 = Buffer.from('{"text":"Olé."}', 'utf16le')
    expect(await read('application/json; charset="utf-16le"', utf16)).toMatchObject({ text: 'Olé.' })
  })

  it('may be split anywhere, even inside a character', async () => {
    const [text, quickReplies] = ['Zażółć 😀.', ['More']]
    const stream = `: hi\r\nevent: x\r\ndata: {"text":"Zaż"}\r\n\r\ndata: {"text":\ndata: "ółć "}\n\ndata:{"text":"😀.","format":"markdown"}\r\rdata: {"quickReplies":["More"]}\n\ndata: [DONE]`
    for (const [type, body, reply] of [
      ['text/plain', Buffer.from(text), { text }],
      ['text/event-stream', Buffer.from(stream), { text, format: 'markdown', quickReplies }],
    ] as const)
      for (let cut = 0; cut <= body.length; cut++)
        expect(await read(type, body.subarray(0, cut), body.subarray(cut))).toMatchObject(reply)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['invalid JSON', () => read('application/json', '{"text":"leaked')],
    ['/text', () => json({ quickReplies: ['leaked'] })],
    ['/format', () => json({ text: 'leaked', format: 'html' })],
    ['/quickReplies', () => json({ text: 'leaked', quickReplies: Array(maxQuickReplies + 1).fill('leaked') })],
    ['/quickReplies/0', () => json({ text: 'leaked', quickReplies: ['leaked'.repeat(50)] })],
    ['/text', () => events({ text: 1 })],
    ['/status', () => events({ status: ['leaked'] })],
    ['invalid JSON', () => read('text/event-stream', 'data: leaked\n\n')],
    ['without [DONE]', () => read('text/event-stream', 'data: {"text":"leaked"}\n\n')],
    ['content type', () => read('text/html', 'leaked')],
    ['content type', () => read(undefined, 'leaked')],
    ['unknown charset', () => read('text/plain; charset=klingon', 'leaked')],
    ['UTF-8', () => read('text/plain', new Uint8Array([0xff, 0xfe, 0x41]))],
    ['UTF-8', () => read('text/plain', new Uint8Array([0x41, 0xc3]))],
    ['longer than 64 KiB', () => read('text/plain', 'x'.repeat(64 * 1024 + 1))],
    ['longer than 64 KiB', () => json({ text: 'x'.repeat(64 * 1024) })],
    ['longer than 1024 KiB', () => read('text/event-stream', ': x\n\n'.repeat(300_000))],
  ])('is rejected as "%s", without quoting it, and not asked for again', async (problem, reading) => {
    const error = await reading().catch((error: unknown) => error)
    expect(error).toMatchObject({ message: expect.stringContaining(problem), retryAfterMs: null })
    expect(String(error)).not.toContain('leaked')
  })
})
