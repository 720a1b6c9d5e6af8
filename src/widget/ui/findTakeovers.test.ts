import { describe, expect, test } from 'vitest'
import { storedMessage } from '../testing/uiFixtures.ts'
import { findTakeovers, type TranscriptItem } from './groupMessages.ts'

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
