import { describe, expect, it } from 'vitest'
import { chunk, done, streamOf as events, meta, modelServers, usage } from '../testing/modelServers.ts'
import { collect } from '../testing/scriptedResponder.ts'
import { readModelReply } from './modelReply.ts'

const read = (body: BodyInit, type = 'text/event-stream') =>
  collect(readModelReply(new Response(body, { headers: { 'content-type': type } }), 'hand_over', () => {}))

describe('the reply of a model', () => {
  it.each(modelServers)('is read as %s sends it, with any line ending', async (_, { answer }) => {
    for (const each of [answer, answer.replaceAll('\n', '\r\n'), answer.replaceAll('data: {', 'data:{')])
      expect((await read(each)).text).toBe('It is free [2].')
  })

  it.each<[string, (object | string)[]]>([
    ['without choices', [{ ...meta, usage: usage.usage }]],
    ['with null for choices', [{ ...usage, choices: null }]],
    ['with null for its choice or its delta', [{ choices: [null] }, { choices: [{ index: 0, delta: null }] }]],
    ['that is null', ['data: null']],
    ['that is empty', ['data:', 'data: ']],
    ['that is a ping', [': ping', 'event: ping\ndata: {"type":"ping"}']],
  ])('is not lost for an event %s', async (_, extra) => {
    const body = events(...extra, chunk({ content: 'It is free.' }), ...extra, chunk({}, 'stop'), ...extra, done)
    expect((await read(body)).text).toBe('It is free.')
  })

  it('ends with [DONE], with a reason, or with both, and has what comes after the reason', async () => {
    for (const end of [
      [done],
      [chunk({}, 'stop')],
      [chunk({}, 'tool_calls'), done],
      [chunk({}, 'stop'), 'data: {"id"'],
    ])
      expect((await read(events(chunk({ content: 'Yes.' }), ...end))).text).toBe('Yes.')
    const more = events(chunk({ content: 'Yes' }, 'stop'), chunk({ content: ', it is.' }), done)
    expect((await read(more)).text).toBe('Yes, it is.')
  })

  it('may be one JSON object, in the charset that it declares', async () => {
    const message = { role: 'assistant', content: '<think>Hm</think>\n\nOlé.' }
    const json = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
    expect((await read(json, 'application/json')).text).toBe('Olé.')
    expect((await read(Buffer.from(json, 'latin1'), 'application/json; charset=iso-8859-1')).text).toBe('Olé.')
  })

  it.each([
    ['reported an error', '{"error":{"message":"leaked"}}', 'application/json'],
    ['reported an error', events(chunk({ content: 'leaked' }), { error: { message: 'leaked' } }, done)],
    ['invalid JSON', events(chunk({ content: 'leaked' }), 'data: {"choices":[{"delta":{"content":"leaked', done)],
    ['cut off', events(chunk({ content: 'leaked' }))],
    ['cut off', events(chunk({ content: 'leaked' }), '')],
  ])('fails with "%s", without quoting it', async (problem, body, type?: string) => {
    const error = await read(body, type).catch(String)
    expect(error).toContain(problem)
    expect(error).not.toContain('leaked')
  })

  it('hands over by its tool and no other, after a text or without one', async () => {
    const call = (name: string) => ({ tool_calls: [{ index: 0, type: 'function', function: { name, arguments: '' } }] })
    // The arguments of a call come in further pieces, which do not repeat its name.
    const rest = [chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }), chunk({}, 'tool_calls'), done]
    const said = await read(events(chunk({ content: 'One moment.' }), chunk(call('hand_over')), ...rest))
    expect(said).toMatchObject({ text: 'One moment.', handOver: true })
    expect(await read(events(chunk(call('hand_over')), ...rest))).toMatchObject({ text: '', handOver: true })
    const other = await read(events(chunk({ content: 'Yes.', ...call('buy_everything') }), ...rest))
    expect(other).not.toHaveProperty('handOver')
  })

  it('says that it is cut if the model has stopped before its end', async () => {
    for (const reason of ['length', 'content_filter'])
      expect(await read(events(chunk({ content: 'It is' }), chunk({}, reason), done))).toMatchObject({ isCut: true })
    expect(await read(events(chunk({ content: 'Yes.' }), chunk({}, 'stop'), done))).not.toHaveProperty('isCut')
  })
})

describe('the pages that a model cites', () => {
  const cited = (url: unknown, title?: string) => ({ type: 'url_citation', url_citation: { url, title } })
  const sourcesOf = (...annotations: unknown[]) =>
    read(events(chunk({ content: 'Yes.' }), ...annotations.map(each => chunk({ annotations: each })), done))

  it('are its sources: each page once, over several pieces, by its address if it has no title', async () => {
    const first = [cited('https://a.example/1', 'One'), cited('https://a.example/1', 'Again')]
    const second = [cited('https://a.example/1', 'Again'), cited('https://a.example/2')]
    expect(await sourcesOf(first, second)).toMatchObject({
      sources: [
        { title: 'One', url: 'https://a.example/1' },
        { title: 'https://a.example/2', url: 'https://a.example/2' },
      ],
    })
  })

  it('are not what is no citation', async () => {
    expect(await sourcesOf(null, [null, 1, {}, { url_citation: null }])).not.toHaveProperty('sources')
  })
})

describe('the reasoning of a model', () => {
  const answer = async (text: string): Promise<string[]> => {
    const replies = []
    for (const size of [1, 2, 3, 7, text.length]) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      replies.push((await read(events(...pieces.map(content => chunk({ content })), done))).text)
    }
    return [...new Set(replies)]
  }

  it.each([
    ['<think>\nThe visitor asks.\n</think>\n\nIt is free.', 'It is free.'],
    ['\n <THINK>İ < 3</THINK>It is free.', 'It is free.'],
    ['<think>\n\n</think>\n\nIt is free.', 'It is free.'],
    ['<thinking>One</thinking> <think>Two</think> It is free.', 'It is free.'],
    ['<think>One</think>The tag </think> ends it.', 'The tag </think> ends it.'],
    ['The visitor asks.\n</think>\n\nIt is free.', 'It is free.'],
    ['</think>It is free.', 'It is free.'],
    ['The visitor asks.</think>The tag </think> ends it.', 'The tag </think> ends it.'],
  ])('is left out of %j, however it is split', async (text, shown) => {
    expect(await answer(text)).toEqual([shown])
  })

  it.each([
    'Write <think> before it and </think> after it.',
    '<thin> is no tag.',
    '<think',
    'a < b </thi',
    '<thinker>x</thinker>',
  ])('is not taken for %j, which is text', async text => {
    expect(await answer(text)).toEqual([text])
  })

  it('is no answer: a model that does not come to its end has failed', async () => {
    for (const end of [done, chunk({}, 'length')])
      await expect(read(events(chunk({ content: '<think>The visitor' }), end))).rejects.toThrow('before it came to its')
  })
})
