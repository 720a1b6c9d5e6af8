import { describe, expect, test } from 'vitest'
import { said, underWay } from './fixtures.ts'
import { transcriptRows } from './rows.ts'

const nothing = { greeting: [], messages: [], pending: [], now: new Date(2026, 2, 14, 10, 0).toISOString() }
const shape = (parts: Partial<Parameters<typeof transcriptRows>[0]>) =>
  transcriptRows({ ...nothing, ...parts }).map(
    ({ key, first, last, newDay, newHere, status }) =>
      `${newDay ? 'day ' : ''}${newHere ? 'new ' : ''}${first ? '[' : ''}${key}${last ? ']' : ''}${status ? ` ${status}` : ''}`,
  )

describe('transcriptRows', () => {
  test('groups a run of one author within two minutes', () => {
    const messages = [said(1, 'bot', 'a', 0), said(2, 'bot', 'b', 1), said(3, 'bot', 'c', 4), said(4, 'agent', 'd', 4)]
    expect(shape({ messages })).toEqual(['day [m1', 'm2]', '[m3]', '[m4]'])
  })

  test('begins each day anew', () => {
    const messages = [said(1, 'bot', 'a', 0), said(2, 'bot', 'b', 24 * 60), said(3, 'bot', 'c', 24 * 60 + 1)]
    expect(shape({ messages })).toEqual(['day [m1]', 'day [m2', 'm3]'])
  })

  test('gives a greeting no day and no run with what follows', () => {
    expect(shape({ greeting: ['Hello', 'there'], messages: [said(1, 'bot', 'a')] })).toEqual([
      '[Hello',
      'there]',
      'day [m1]',
    ])
  })

  test('says of the last own message only that it was sent', () => {
    const messages = [said(1, 'visitor', 'a', 0), said(2, 'visitor', 'b', 1), said(3, 'bot', 'c', 1)]
    expect(shape({ messages })).toEqual(['day [m1', 'm2] sent', '[m3]'])
    expect(shape({ messages, pending: [underWay('p', 'd', 'waiting')] })).toEqual([
      'day [m1',
      'm2]',
      '[m3]',
      '[p] waiting',
    ])
  })

  test('keeps each failed message apart from its neighbours', () => {
    const pending = [underWay('a', 'a'), underWay('b', 'b', 'failed'), underWay('c', 'c', 'failed')]
    expect(shape({ pending })).toEqual(['day [a] sending', '[b] failed', '[c] failed'])
  })

  test('shows a message once that is stored while the outbox or the stream still holds it', () => {
    const messages = [said(1, 'visitor', 'a', 0), said(2, 'bot', 'b', 0)]
    expect(shape({ messages, pending: [underWay('m1', 'a')], replyId: 'm2' })).toEqual(['day [m1] sent', '[m2]'])
  })

  test('divides before the first message by others that was not read', () => {
    const messages = [
      said(1, 'bot', 'a', 0),
      said(2, 'visitor', 'b', 0),
      said(3, 'bot', 'c', 0),
      said(4, 'bot', 'd', 0),
    ]
    expect(shape({ messages, readUntil: 1 })).toEqual(['day [m1]', '[m2] sent', 'new [m3', 'm4]'])
    expect(shape({ messages, readUntil: 3 })).toEqual(['day [m1]', '[m2] sent', '[m3]', 'new [m4]'])
  })
})
