import { describe, expect, it } from 'vitest'
import type { BusEvent } from './bus.ts'
import { readBusEvent } from './readBusEvent.ts'

const id = '01a20038-26ec-7d17-952e-e3cf1d5ab465'
const nora = { id, name: 'Nora' }

describe('readBusEvent', () => {
  it.each<BusEvent>([
    { type: 'stored' },
    { type: 'joined' },
    { type: 'taken_over' },
    { type: 'handed_over' },
    { type: 'stopped', replyId: id },
    { type: 'erased' },
    { type: 'conversation', conversationId: id },
    { type: 'typing', botId: id, typing: { conversationId: id, member: nora } },
    { type: 'viewing', viewing: { viewer: 'a', member: nora, conversation: { id, botId: id } } },
    { type: 'viewing', viewing: { viewer: 'a', member: nora, conversation: null } },
    { type: 'ended', hash: 'a', reason: 'revoked' },
    {
      type: 'forward',
      streamEvent: { event: 'message.delta', data: { id, offset: 3, text: 'a', format: 'markdown' } },
    },
    { type: 'forward', streamEvent: { event: 'message.aborted', data: { id } } },
    { type: 'forward', streamEvent: { event: 'typing', data: { author: 'agent' } } },
    { type: 'forward', streamEvent: { event: 'read', data: { seq: 7 } } },
  ])('reads an event that a node publishes: %j', event => {
    expect(readBusEvent(JSON.stringify(event))).toEqual(event)
  })

  it.each([
    ...['', 'no JSON', '1', 'null', '[]', '{}', '"stored"', '{"type":null}', '{"type":"new"}', '{"type":"toString"}'],
    ...[
      '{"type":"__proto__"}',
      '{"type":"ended"}',
      '{"type":"stopped"}',
      '{"type":"ended","hash":1,"reason":"revoked"}',
    ],
    '{"type":"ended","hash":"a","reason":"bored\\n\\nevent: message"}',
    ...[
      '{"type":"forward"}',
      '{"type":"forward","streamEvent":null}',
      '{"type":"forward","streamEvent":{"event":"read"}}',
    ],
    '{"type":"forward","streamEvent":{"event":"message","data":{}}}',
    '{"type":"typing","botId":"a","typing":{"conversationId":1}}',
    '{"type":"viewing","viewing":{"viewer":"a","conversation":null}}',
    '{"type":"forward","streamEvent":{"event":"read\\n\\nevent: reset","data":{"seq":1}}}',
    '{"type":"forward","streamEvent":{"event":"message.delta","data":{"id":"a","offset":"0","text":5}}}',
  ])('ignores %s', text => {
    expect(readBusEvent(text)).toBeUndefined()
  })
})
