import { signal } from '@preact/signals'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeskConversation, DeskEvent, DeskView } from '../../contract/desk.ts'
import type { Route } from '../router.ts'
import { conversation } from '../testing/deskFixtures.ts'
import { createInbox } from './inbox.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An inbox on a platform with these conversations. */
function setUp(initial: DeskConversation[], { pageSize = 2, emptyPages = 1 } = {}) {
  const stored = new Map(initial.map(one => [one.id, one]))
  const requests: string[] = []
  let isDown = false
  const get = async (path: string, query: { view?: DeskView; query?: string; after?: string | null } = {}) => {
    requests.push(path)
    if (isDown) throw new Error('down')
    if (path === '/counts') return { data: { waiting: 0, mine: 0, unassigned: 0, bot: stored.size, closed: 0, all: 0 } }
    // A search may find nothing in what it has read first.
    const empty = query.after ? Number(query.after.split('empty ')[1] ?? emptyPages) : 0
    if (query.query && empty < emptyPages) return { data: [], next: `empty ${empty + 1}`, excerpts: {} }
    const rows = [...stored.values()].filter(({ id, state }) =>
      query.query ? id.includes(query.query) : query.view === 'all' || state === query.view,
    )
    const from = Number(query.after) || 0
    const to = from + pageSize
    const data = rows.slice(from, to)
    const excerpt = { before: '', match: query.query, after: '' }
    const excerpts = query.query ? Object.fromEntries(data.map(({ id }) => [id, excerpt])) : {}
    return { data, next: rows.length > to ? `${to}` : null, excerpts }
  }
  const listeners = new Set<(event: DeskEvent) => void>()
  const route = signal<Route>({ page: 'inbox', view: 'bot', filters: '', conversationId: null })
  const visited: string[] = []
  const inbox = createInbox({
    api: { get: get as never },
    events: {
      subscribe(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    router: { route, go: href => void visited.push(href) },
    memberId: 'nora',
  })
  const stop = inbox.start()
  const emit = (event: DeskEvent) => {
    for (const listener of listeners) listener(event)
  }
  return {
    inbox,
    stop,
    stored,
    requests,
    visited,
    emit,
    change(next: DeskConversation) {
      stored.set(next.id, next)
      emit({ event: 'conversation', data: next })
    },
    open(view: DeskView, conversationId: string | null = null, filters = '') {
      route.value = { page: 'inbox', view, filters, conversationId }
    },
    leave() {
      route.value = { page: 'saved' }
    },
    setDown(value: boolean) {
      isDown = value
    },
    ids: () => inbox.rows.value.map(({ id }) => id),
    settle: () => vi.advanceTimersByTimeAsync(0),
  }
}

const three = () => ['a', 'b', 'c'].map((id, index) => conversation(id, { at: 10 * (index + 1) }))

describe('the inbox', () => {
  it('loads the view of the address, and further pages when asked', async () => {
    const { inbox, ids, settle } = setUp(three())
    await settle()
    expect(ids()).toEqual(['a', 'b'])
    await inbox.loadMore()
    expect(ids()).toEqual(['a', 'b', 'c'])
    expect(inbox.counts.value?.bot).toBe(3)
  })

  it('takes an event only if its version is newer', async () => {
    const { inbox, emit, settle } = setUp([conversation('a', { version: 5, unseen: 0 })])
    await settle()
    emit({ event: 'conversation', data: conversation('a', { version: 4, unseen: 7 }) })
    expect(inbox.rows.value[0]?.unseen).toBe(0)
    emit({ event: 'conversation', data: conversation('a', { version: 6, unseen: 7 }) })
    expect(inbox.rows.value[0]?.unseen).toBe(7)
  })

  it('does not move the selected row for a new one, which is shown when asked', async () => {
    const { inbox, change, open, ids, settle } = setUp(three().slice(0, 2))
    await settle()
    open('bot', 'b')
    change(conversation('new', { at: 1 }))
    expect([ids(), inbox.newRows.value]).toEqual([['a', 'b'], 1])
    inbox.showNewRows()
    expect([ids(), inbox.newRows.value]).toEqual([['new', 'a', 'b'], 0])
  })

  it('does not move what is seen after scrolling', async () => {
    const { inbox, change, ids, settle } = setUp(three().slice(0, 2))
    await settle()
    inbox.setFirstSeenRow(1)
    change(conversation('new', { at: 1 }))
    expect([ids(), inbox.newRows.value]).toEqual([['a', 'b'], 1])
    inbox.setFirstSeenRow(0)
    expect([ids(), inbox.newRows.value]).toEqual([['new', 'a', 'b'], 0])
  })

  it('keeps a selected row that has left the view until another is selected', async () => {
    const { change, open, ids, settle } = setUp(three().slice(0, 2))
    await settle()
    open('bot', 'a')
    change(conversation('a', { version: 2, state: 'closed' }))
    expect(ids()).toEqual(['a', 'b'])
    open('bot', 'b')
    expect(ids()).toEqual(['b'])
  })

  it('shows what has arrived while the list was on its way', async () => {
    const { change, ids, settle } = setUp([])
    change(conversation('new'))
    await settle()
    expect(ids()).toEqual(['new'])
  })

  it('forgets after a reset what the platform does not list any more', async () => {
    const { emit, stored, ids, settle } = setUp(three().slice(0, 2))
    await settle()
    stored.delete('a')
    emit({ event: 'reset', data: {} })
    await settle()
    expect(ids()).toEqual(['b'])
  })

  it('moves no row above the selected one after a reset', async () => {
    const { inbox, open, emit, stored, ids, settle } = setUp(three(), { pageSize: 100 })
    await settle()
    open('bot', 'b')
    stored.set('new', conversation('new', { at: 1 }))
    stored.set('c', conversation('c', { at: 2, version: 2 }))
    stored.delete('a')
    emit({ event: 'reset', data: {} })
    await settle()
    expect([ids(), inbox.newRows.value]).toEqual([['b', 'c'], 1])
  })

  it('keeps its place while the member is on another page', async () => {
    const { inbox, open, leave, requests, settle } = setUp(three())
    open('closed', 'z', 'bot=bot')
    await settle()
    const before = requests.length
    leave()
    await settle()
    expect([inbox.view.value, inbox.selectedId.value, requests.length]).toEqual(['closed', null, before])
    expect(inbox.href.value).toBe('/desk/c/z?view=closed&bot=bot')
  })

  it('forgets at once what was erased', async () => {
    const { emit, change, open, ids, settle } = setUp(three().slice(0, 2))
    await settle()
    open('bot', 'a')
    emit({ event: 'gone', data: { conversationId: 'a' } })
    expect(ids()).toEqual(['b'])
    // What is still known would come back.
    change(conversation('b', { version: 2 }))
    expect(ids()).toEqual(['b'])
  })

  it('asks for the counts after changes of state only, and at most every second', async () => {
    const { requests, change, settle } = setUp(three())
    await vi.advanceTimersByTimeAsync(1500)
    const count = () => requests.filter(path => path === '/counts').length
    const before = count()
    change(conversation('a', { version: 2, unseen: 1 }))
    await settle()
    expect(count()).toBe(before)
    for (const [index, id] of ['a', 'b', 'c'].entries())
      change(conversation(id, { version: 3 + index, state: 'closed' }))
    await settle()
    expect(count()).toBe(before + 1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(count()).toBe(before + 2)
  })

  it('says that a list has failed, and loads it when asked again', async () => {
    const { inbox, open, setDown, ids, settle } = setUp([conversation('a', { state: 'closed' })])
    await settle()
    setDown(true)
    open('closed')
    await settle()
    expect(inbox.status.value).toBe('failed')
    setDown(false)
    await inbox.retry()
    expect([inbox.status.value, ids()]).toEqual(['ready', ['a']])
  })

  it('ignores the list of a view that was left before it arrived', async () => {
    const { open, ids, settle } = setUp([conversation('a'), conversation('z', { state: 'closed' })])
    open('closed')
    await settle()
    expect(ids()).toEqual(['z'])
  })

  it('shows what a search has found, in its order, whatever arrives', async () => {
    const { inbox, open, change, ids, settle } = setUp([conversation('ab', { at: 9 }), conversation('b', { at: 1 })])
    open('all', null, 'query=b')
    await settle()
    expect([ids(), inbox.hasMore.value]).toEqual([[], true])
    await inbox.loadMore()
    expect(ids()).toEqual(['ab', 'b'])
    change(conversation('bc'))
    expect(ids()).toEqual(['ab', 'b'])
    change(conversation('ab', { version: 2, unseen: 3 }))
    expect(inbox.rows.value[0]?.unseen).toBe(3)
  })

  it('shows the line that was found until the conversation changes, as it may have been removed', async () => {
    const { inbox, open, change, settle } = setUp([conversation('ab'), conversation('b'), conversation('bc')], {
      pageSize: 3,
      emptyPages: 0,
    })
    open('all', null, 'query=b')
    // While the results are on their way.
    change(conversation('ab', { version: 2 }))
    await settle()
    expect(Object.keys(inbox.excerpts.value)).toEqual(['b', 'bc'])
    change(conversation('b', { version: 2 }))
    expect(Object.keys(inbox.excerpts.value)).toEqual(['bc'])
  })

  it('pauses a search that has found nothing for three pages, and goes on when it is asked', async () => {
    const { inbox, open, requests, ids, settle } = setUp([conversation('b')], { emptyPages: 4 })
    await settle()
    open('all', null, 'query=b')
    await settle()
    const lists = () => requests.filter(path => path === '/conversations').length
    const before = lists()
    for (let count = 0; count < 10; count++) await inbox.loadMore()
    expect([inbox.status.value, inbox.hasMore.value, lists() - before]).toEqual(['paused', true, 2])
    await inbox.retry()
    await inbox.loadMore()
    expect([inbox.status.value, lists() - before]).toEqual(['paused', 3])
    await inbox.retry()
    expect([inbox.status.value, ids()]).toEqual(['ready', ['b']])
  })

  it('lets only those in that pass the filters', async () => {
    const { open, change, ids, settle } = setUp([])
    open('all', null, 'state=open&owner=nora&bot=bot')
    await settle()
    const otto = { id: 'otto', name: 'Otto' }
    const nora = { id: 'nora', name: 'Nora' }
    change(conversation('a', { state: 'open', assignee: otto }))
    change(conversation('b', { state: 'waiting', assignee: nora }))
    change(conversation('c', { state: 'open', assignee: nora, botId: 'other' }))
    change(conversation('d', { state: 'open', assignee: nora }))
    expect(ids()).toEqual(['d'])
  })

  it('searches everywhere beside the open conversation, and returns to the view', async () => {
    const { inbox, open, visited } = setUp([])
    open('mine', 'a')
    inbox.setFilters({ query: 'a b' })
    open('all', 'a', 'query=a+b')
    inbox.setFilters({ days: '7' })
    inbox.setFilters({ query: '' })
    expect(visited).toEqual([
      '/desk/c/a?view=all&query=a+b',
      '/desk/c/a?view=all&query=a+b&days=7',
      '/desk/c/a?view=mine',
    ])
  })

  it('opens the next conversation, the one before the last, or the list', async () => {
    const { inbox, open, visited, settle, change } = setUp(three().slice(0, 2))
    await settle()
    open('bot', 'a')
    inbox.openNext('a')
    open('bot', 'b')
    inbox.openNext('b')
    change(conversation('a', { version: 2, state: 'closed' }))
    inbox.openNext('b')
    expect(visited).toEqual(['/desk/c/b?view=bot', '/desk/c/a?view=bot', '/desk/bot'])
  })

  it('stays where the member has gone while the conversation before was closed', async () => {
    const { inbox, open, visited, settle } = setUp(three())
    await settle()
    open('bot', 'b')
    inbox.openNext('a')
    expect(visited).toEqual([])
  })
})
