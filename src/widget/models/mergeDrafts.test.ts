import { describe, expect, it } from 'vitest'
import type { DraftVersion } from '../storage/guards.ts'
import { editDraft, finishDraft, joinDrafts, mergeDrafts } from './mergeDrafts.ts'

const draft = (id: string, revision: number, text: string, finishedIds: string[] = []): DraftVersion => ({
  ...{ id, revision, text, messageId: `message ${id} ${revision}` },
  finishedIds,
})

describe('two versions of the draft', () => {
  it.each([
    ['nothing', draft('', 0, ''), draft('', 0, ''), ''],
    ['a later revision', draft('a', 1, 'Hal'), draft('a', 2, 'Half'), 'Half'],
    ['a later revision that is empty', draft('a', 1, 'Half'), draft('a', 2, ''), ''],
    ['an earlier revision', draft('a', 2, 'Half'), draft('a', 1, 'Hal'), 'Half'],
    ['the same revision', draft('a', 2, 'Half'), draft('a', 2, 'Whole'), 'Half'],
    ['another draft', draft('a', 5, 'Half'), draft('b', 1, 'Whole'), 'Whole'],
    ['another draft that is empty', draft('a', 1, 'Half'), draft('b', 5, ''), 'Half'],
    ['another draft beside none', draft('', 0, ''), draft('b', 1, 'Whole'), 'Whole'],
    ['one that has been sent', draft('b', 1, 'Whole', ['a']), draft('a', 5, 'Half'), 'Whole'],
    ['the news that this one has been sent', draft('a', 5, 'Half'), draft('b', 1, '', ['a']), ''],
    ['the news that this one has been sent long ago', draft('a', 5, 'Half'), draft('c', 1, '', ['a', 'b']), ''],
    ['the news that another one has been sent', draft('a', 1, 'Half'), draft('b', 2, '', ['b']), 'Half'],
  ])('meet: %s', (_, current, incoming, text) => {
    expect(mergeDrafts(current, incoming).text).toBe(text)
  })

  it('remember the drafts that either knows to be sent, up to a limit', () => {
    expect(mergeDrafts(draft('a', 1, '', ['x']), draft('b', 1, '', ['y'])).finishedIds).toEqual(['x', 'y'])
    let current = draft('', 0, '')
    for (let count = 0; count < 100; count++) {
      current = finishDraft(editDraft(current, 'Hello', () => `id ${count}`))
    }
    expect([current.text, current.finishedIds.length, current.finishedIds.at(-1)]).toEqual(['', 20, 'id 99'])
  })

  it('keep the id of the draft until it is sent', () => {
    const first = editDraft(draft('', 0, ''), 'H', () => 'a')
    const second = editDraft(first, '', () => 'b')
    const third = editDraft(finishDraft(second), 'W', () => 'c')
    expect([first, second, third].map(({ id, revision }) => [id, revision])).toEqual([
      ['a', 1],
      ['a', 2],
      ['c', 1],
    ])
  })
})

describe('a draft that was begun before the stored one was known', () => {
  it.each([
    ['nothing is stored', draft('', 0, ''), draft('b', 1, 'New'), 'New'],
    ['nothing was written', draft('a', 3, 'Old'), draft('', 0, ''), 'Old'],
    ['both have a text', draft('a', 3, 'Old'), draft('b', 1, 'New'), 'Old\nNew'],
    ['it was deleted again', draft('a', 3, 'Old'), draft('b', 2, ''), 'Old'],
    ['it is a later version of the stored one', draft('a', 3, 'Old'), draft('a', 4, 'Older'), 'Older'],
    ['it has been sent', draft('a', 3, 'Old'), draft('b', 2, '', ['b']), 'Old'],
    ['the stored one has been sent', draft('a', 3, 'Old'), draft('b', 1, 'New', ['a']), 'New'],
  ])('is joined with it: %s', (_, stored, begun, text) => {
    expect(joinDrafts(stored, begun, () => 'new').text).toBe(text)
  })

  it('does not come back beside the joined one', () => {
    const begun = draft('b', 1, 'New')
    const joined = joinDrafts(draft('a', 3, 'Old'), begun, () => 'new')
    expect(mergeDrafts(joined, begun)).toEqual(joined)
  })

  it('is another draft than the stored one, which the tab that has begun it may keep through a login', () => {
    const stored = draft('a', 3, 'Old')
    const joined = joinDrafts(stored, draft('b', 1, 'New'), () => 'new')
    expect([joined.id, joined.finishedIds]).toEqual(['new', ['a', 'b']])
    expect(mergeDrafts({ ...stored, revision: 9 }, joined)).toEqual(joined)
  })
})
