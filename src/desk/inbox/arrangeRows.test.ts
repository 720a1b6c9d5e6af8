import { describe, expect, it } from 'vitest'
import type { DeskConversation } from '../../contract/desk.ts'
import { conversation, minutesAgo } from '../testing/deskFixtures.ts'
import { type ArrangementContext, arrangeRows } from './arrangeRows.ts'

const arrange = (ids: string[], all: DeskConversation[], context: Partial<ArrangementContext> = {}) =>
  arrangeRows(ids, {
    view: 'bot',
    filters: {},
    memberId: 'nora',
    known: new Map(all.map(one => [one.id, one])),
    selectedId: null,
    fixedRows: 0,
    hasMore: false,
    ...context,
  })

const a = conversation('a', { at: 10 })
const b = conversation('b', { at: 20 })
const c = conversation('c', { at: 30 })

describe('the rows of a view', () => {
  it('begin with the latest message', () => {
    expect(arrange([], [c, a, b])).toEqual({ ids: ['a', 'b', 'c'], newRows: [] })
  })

  it('begin with who has waited longest among those who wait', () => {
    const waiting = [3, 9, 6].map(minutes =>
      conversation(`${minutes}`, { state: 'waiting', waitingSince: minutesAgo(minutes), at: 1 }),
    )
    expect(arrange([], waiting, { view: 'waiting' }).ids).toEqual(['9', '6', '3'])
  })

  it('hold a new conversation back that would move the fixed ones, and insert one below them', () => {
    const newest = conversation('new', { at: 1 })
    const older = conversation('older', { at: 25 })
    expect(arrange(['a', 'b', 'c'], [a, b, c, newest, older], { fixedRows: 2 })).toEqual({
      ids: ['a', 'b', 'older', 'c'],
      newRows: ['new'],
    })
  })

  it('let a conversation with a new message rise to the fixed ones, but not above them', () => {
    const risen = conversation('c', { at: 0 })
    expect(arrange(['a', 'b', 'c'], [a, b, risen], { fixedRows: 1 })).toEqual({ ids: ['a', 'c', 'b'], newRows: [] })
  })

  it('lose a conversation that has left the view, unless it is selected', () => {
    const closed = [conversation('a', { state: 'closed', at: 10 }), conversation('b', { state: 'closed', at: 20 })]
    expect(arrange(['a', 'b', 'c'], [...closed, c], { selectedId: 'b', fixedRows: 2 }).ids).toEqual(['b', 'c'])
  })

  it('leave to the next page what comes after the last one', () => {
    const old = conversation('old', { at: 99 })
    expect(arrange(['a', 'b'], [a, b, old], { hasMore: true }).ids).toEqual(['a', 'b'])
    expect(arrange(['a', 'b'], [a, b, old], { hasMore: false }).ids).toEqual(['a', 'b', 'old'])
  })
})
