import { describe, expect, test } from 'vitest'
import type { PendingMessage } from '../conversation/conversation.ts'
import { pendingMessage, storedMessage } from '../testing/uiFixtures.ts'
import { findTakeovers, groupMessages, type TranscriptItem } from './groupMessages.ts'

const own = (pending: readonly PendingMessage[]): TranscriptItem[] =>
  pending.map(each => ({ ...each, author: 'visitor' }))
const group = (messages: readonly TranscriptItem[], options: Partial<Parameters<typeof groupMessages>[1]> = {}) =>
  groupMessages(messages, { readUpTo: undefined, takeovers: new Map(), from: 0, to: messages.length, ...options })
const shape = (messages: readonly TranscriptItem[], readUpTo?: number) =>
  group(messages, { readUpTo }).map(
    ({ item, isFirst, isLast, startsDay, isFirstUnread, status }) =>
      `${startsDay ? 'day ' : ''}${isFirstUnread ? 'new ' : ''}${isFirst ? '[' : ''}${item.id}${isLast ? ']' : ''}${status ? ` ${status}` : ''}`,
  )

describe('groupMessages', () => {
  test('groups consecutive messages of one author within two minutes', () => {
    const messages = [
      storedMessage(1, 'bot', 'a', 0),
      storedMessage(2, 'bot', 'b', 1),
      storedMessage(3, 'bot', 'c', 4),
      storedMessage(4, 'agent', 'd', 4),
    ]
    expect(shape(messages)).toEqual(['day [m1', 'm2]', '[m3]', '[m4]'])
  })

  test('shows the time of a message before another minute, and before an event, which shows none', () => {
    const messages = [
      storedMessage(1, 'bot', 'a', 0),
      storedMessage(2, 'agent', 'b', 0),
      storedMessage(3, 'system', '', 0),
    ]
    const times = (items: TranscriptItem[]) => group(items).map(({ showsTime }) => showsTime)
    expect(times(messages)).toEqual([false, false, true])
    expect(times(messages.map(each => (each.seq === 3 ? { ...each, event: 'handed_back' } : each)))).toEqual([
      ...[false, true, true],
    ])
  })

  test('starts a new group each day', () => {
    const messages = [
      storedMessage(1, 'bot', 'a', 0),
      storedMessage(2, 'bot', 'b', 24 * 60),
      storedMessage(3, 'bot', 'c', 24 * 60 + 1),
    ]
    expect(shape(messages)).toEqual(['day [m1]', 'day [m2', 'm3]'])
  })

  test('shows no day before a greeting and does not group it with the next message', () => {
    const greeting = (id: string): TranscriptItem => ({ id, author: 'bot', text: id, createdAt: '' })
    expect(shape([greeting('Hello'), greeting('there'), storedMessage(1, 'bot', 'a')])).toEqual([
      '[Hello',
      'there]',
      'day [m1]',
    ])
  })

  test('shows the status "sent" only for the visitor’s last message', () => {
    const messages = [
      storedMessage(1, 'visitor', 'a', 0),
      storedMessage(2, 'visitor', 'b', 1),
      storedMessage(3, 'bot', 'c', 1),
    ]
    expect(shape(messages)).toEqual(['day [m1', 'm2] sent', '[m3]'])
    expect(shape([...messages, ...own([pendingMessage('p', 'd', 'waiting')])])).toEqual([
      'day [m1',
      'm2]',
      '[m3]',
      '[p] waiting',
    ])
  })

  test('does not group failed messages', () => {
    const pending = [pendingMessage('a', 'a'), pendingMessage('b', 'b', 'failed'), pendingMessage('c', 'c', 'failed')]
    expect(shape(own(pending))).toEqual(['day [a] sending', '[b] failed', '[c] failed'])
  })

  test('shows a message only once if it is stored while the outbox or the stream still holds it', () => {
    const messages = [storedMessage(1, 'visitor', 'a', 0), storedMessage(2, 'bot', 'b', 0)]
    expect(shape([...messages, ...own([pendingMessage('m1', 'a')]), storedMessage(2, 'bot', '')])).toEqual([
      'day [m1] sent',
      '[m2]',
    ])
  })

  test('marks the first unread message by others', () => {
    const messages = [
      storedMessage(1, 'bot', 'a', 0),
      storedMessage(2, 'visitor', 'b', 0),
      storedMessage(3, 'bot', 'c', 0),
      storedMessage(4, 'bot', 'd', 0),
    ]
    expect(shape(messages, 1)).toEqual(['day [m1]', '[m2] sent', 'new [m3', 'm4]'])
    expect(shape(messages, 3)).toEqual(['day [m1]', '[m2] sent', '[m3]', 'new [m4]'])
  })

  test('shows the time of a run only if what follows is of another minute', () => {
    const messages = [
      storedMessage(1, 'visitor', 'a', 0),
      storedMessage(2, 'bot', 'b', 0),
      storedMessage(3, 'visitor', 'c', 1),
      storedMessage(4, 'bot', 'd', 1),
    ]
    expect(group(messages).map(({ showsTime }) => showsTime)).toEqual([false, true, false, true])
  })

  test('groups a part of the transcript the same way as the whole', () => {
    const messages = Array.from({ length: 30 }, (_, index) =>
      storedMessage(index + 1, index % 4 ? 'bot' : 'visitor', 'a', index * 1.5 + (index > 20 ? 24 * 60 : 0)),
    )
    const all = group(messages, { readUpTo: 7 })
    expect(all.some(({ isFirstUnread }) => isFirstUnread)).toBe(true)
    for (let from = 0; from < messages.length; from++) {
      for (let to = from + 1; to <= messages.length; to++) {
        expect(group(messages, { readUpTo: 7, from, to })).toEqual(all.slice(from, to))
      }
    }
  })

  test('keeps a removed message in the group of its author, and does not count it as unread', () => {
    const nora = { sender: { name: 'Nora' } }
    const messages = [
      { ...storedMessage(1, 'agent', 'a'), ...nora },
      { ...storedMessage(2, 'agent', ''), removedAt: '2026-01-02T00:00:00.000Z' },
      { ...storedMessage(3, 'agent', 'c'), ...nora },
    ]
    expect(shape(messages)).toEqual(['day [m1', 'm2]', '[m3]'])
    expect(shape(messages, 1)).toEqual(['day [m1', 'm2]', 'new [m3]'])
  })
})

/** Messages from a short notation: `visitor`, `bot`, `agent` without a name, `*event`, or the name of an agent. */
const items = (notation: string): TranscriptItem[] =>
  notation.split(' ').map((each, index) => {
    if (each.startsWith('*')) return { ...storedMessage(index, 'system', ''), event: each.slice(1) }
    if (each === 'visitor' || each === 'bot' || each === 'agent') return storedMessage(index, each, 'x')
    return { ...storedMessage(index, 'agent', 'x'), sender: { name: each } }
  })
const lines = (notation: string, isFromStart: boolean) => {
  const takeovers = findTakeovers(items(notation), isFromStart)
  return items(notation)
    .map(({ id }) => takeovers.get(id) ?? '-')
    .join(' ')
}

describe('findTakeovers', () => {
  test.each([
    ['visitor bot visitor Nora visitor Nora', '- - - agent - -', 'names an agent once'],
    ['Nora Omar Nora', 'agent agent agent', 'names another agent, and the first one again'],
    ['agent agent Nora', 'agent - agent', 'an agent without a name is another one'],
    ['Nora visitor bot bot', 'agent - bot -', 'says when the bot answers again after a pause'],
    ['Nora *handed_back bot Nora', 'agent - - agent', 'an event says it already'],
    ['*handover_requested visitor Nora', '- - agent', 'after a wait'],
    ['*handover_requested *handover_expired bot', '- - -', 'nobody came'],
  ])('%s: %s (%s)', (notation, expected) => {
    expect(lines(notation, true)).toBe(expected)
  })

  test('passes over a removed message, of which nobody knows who wrote it', () => {
    const [hi, removed, more] = [
      storedMessage(1, 'bot', 'Hi'),
      storedMessage(2, 'agent', ''),
      storedMessage(3, 'agent', 'x'),
    ]
    const nora = { ...more, sender: { name: 'Nora' } } as TranscriptItem
    expect([...findTakeovers([hi, { ...removed, removedAt: hi.createdAt }, nora], true)]).toEqual([['m3', 'agent']])
  })

  test('of a page in the middle, does not guess whether its first agent has just joined', () => {
    expect(lines('visitor Nora Omar', false)).toBe('- - agent')
    expect(lines('bot Nora', false)).toBe('- agent')
    expect(lines('visitor *handed_back Nora', false)).toBe('- - agent')
    expect(lines('visitor bot', false)).toBe('- -')
  })
})
