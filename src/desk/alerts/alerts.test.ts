// @vitest-environment happy-dom
import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeskConversation, DeskCounts, DeskEvent } from '../../contract/desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { conversation } from '../testing/deskFixtures.ts'
import { createAlerts } from './alerts.ts'

const shown: { title: string; tag?: string; body?: string; isClosed?: boolean; onclick?: () => void }[] = []
class TestNotification {
  static permission = 'granted'
  onclick = () => {}
  constructor(title: string, options: object) {
    shown.push(Object.assign(this, { title }, options))
  }
  isClosed = false
  close() {
    this.isClosed = true
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('Notification', TestNotification)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  localStorage.clear()
  shown.length = 0
})

const nora = { id: 'nora', name: 'Nora' }

/** The alerts of Nora's desk, which another window hides, with the choices that the browser keeps. */
function setUp(choices = 'sound notifications') {
  localStorage.setItem('natter-desk-alerts nora', choices)
  const isHidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  let emit: (event: DeskEvent) => void = () => {}
  const visited: string[] = []
  const selectedId = signal<string | null>(null)
  const play = vi.fn()
  const counts = signal<DeskCounts | null>(null)
  const isHere = signal(true)
  const stored = new Map<string, DeskConversation>()
  const { announcement, start } = createAlerts({
    api: {
      get: (async (path: string, query: object) => {
        expect([path, query]).toEqual(['/conversations', { view: 'waiting' }])
        return { data: [...stored.values()].filter(({ state }) => state === 'waiting') }
      }) as never,
    },
    events: {
      subscribe(listener) {
        emit = listener
        return () => {}
      },
    },
    inbox: { counts, selectedId },
    presence: { isHere },
    router: { go: href => void visited.push(href) },
    strings: en,
    format: createFormat('en', en),
    me: nora,
    play,
  })
  const setWaiting = (waiting: number) => {
    counts.value = { waiting, mine: 0, unassigned: 0, bot: 0, closed: 0, all: 0 }
  }
  /** Changes a conversation at the platform. */
  const store = (id: string, values: Partial<DeskConversation>) => {
    stored.set(id, conversation(id, values))
    setWaiting([...stored.values()].filter(({ state }) => state === 'waiting').length)
  }
  const change = (id: string, values: Partial<DeskConversation>) => {
    store(id, values)
    emit({ event: 'conversation', data: conversation(id, values) })
  }
  const reset = async () => {
    emit({ event: 'reset', data: {} })
    await vi.advanceTimersByTimeAsync(0)
  }
  const stop = start()
  const erase = (id: string) => emit({ event: 'gone', data: { conversationId: id } })
  const platform = { store, change, erase, reset, setWaiting, stored }
  return { ...platform, announcement, play, visited, selectedId, isHere, isHidden, stop }
}

it('alerts to who waits and to who writes to the member, once for each message, and to nobody else', () => {
  const { change, play, visited } = setUp()
  change('a', { unseen: 1 })
  change('b', { state: 'open', assignee: { id: 'sam', name: 'Sam' }, unseen: 1 })
  expect(play).not.toHaveBeenCalled()
  change('a', { state: 'waiting', unseen: 1 })
  change('a', { state: 'waiting', unseen: 1, readSeq: 1 })
  change('a', { state: 'waiting', unseen: 2 })
  change('c', { state: 'open', assignee: nora, unseen: 1 })
  expect(play).toHaveBeenCalledTimes(3)
  expect(shown.map(({ title, tag }) => [title, tag])).toEqual([
    ['Guest is waiting', 'a'],
    ['Guest is waiting', 'a'],
    ['Guest has written', 'c'],
  ])
  expect(shown.map(({ body }) => body)).toEqual([undefined, undefined, undefined])
  shown[2]?.onclick?.()
  expect(visited).toEqual(['/desk/c/c?view=all'])
})

it('repeats the sound until somebody has looked, or the conversation is gone', async () => {
  const { change, stored, play, stop } = setUp()
  change('a', { state: 'waiting', unseen: 1 })
  change('b', { state: 'waiting', unseen: 1 })
  expect(play).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(play).toHaveBeenCalledTimes(4)
  change('a', { state: 'waiting', unseen: 0 })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(play).toHaveBeenCalledTimes(5)
  // Erased by command, of which no event tells.
  stored.delete('b')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(play).toHaveBeenCalledTimes(5)
  change('c', { state: 'waiting', unseen: 1 })
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(play).toHaveBeenCalledTimes(6)
})

it('alerts to who waits already when the desk is opened', async () => {
  const { store, reset, play } = setUp()
  store('a', { state: 'waiting', unseen: 1 })
  store('b', { state: 'waiting', unseen: 2 })
  await reset()
  expect(play).toHaveBeenCalledTimes(1)
  expect(shown.map(({ tag }) => tag)).toEqual(['a', 'b'])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(play).toHaveBeenCalledTimes(2)
  expect(shown).toHaveLength(2)
})

it('alerts to who began to wait while the stream was interrupted, and not to who was answered meanwhile', async () => {
  const { store, change, reset, play } = setUp()
  change('a', { state: 'waiting', unseen: 1 })
  store('a', { state: 'open', assignee: { id: 'sam', name: 'Sam' } })
  await reset()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(play).toHaveBeenCalledTimes(1)
  store('b', { state: 'waiting', unseen: 1 })
  await reset()
  expect(play).toHaveBeenCalledTimes(2)
  expect(shown.map(({ tag }) => tag)).toEqual(['a', 'b'])
})

it('shows a notification only while the desk is hidden, with the text only if that is wanted', () => {
  const { change, isHidden, play } = setUp('notifications texts')
  change('a', { state: 'waiting', unseen: 1 })
  isHidden.mockReturnValue(false)
  change('a', { state: 'waiting', unseen: 2 })
  expect(shown.map(({ body }) => body)).toEqual(['Hello'])
  expect(play).not.toHaveBeenCalled()
})

it('closes a notification when its message was seen or removed, its conversation erased, or the member signed out', () => {
  const { change, erase, stop } = setUp('notifications texts')
  const closed = () => shown.filter(({ isClosed }) => isClosed).map(({ tag }) => tag)
  for (const id of ['seen', 'removed', 'erased', 'left']) change(id, { state: 'waiting', unseen: 2 })
  expect(closed()).toEqual([])
  change('seen', { state: 'waiting', unseen: 0 })
  change('removed', { state: 'waiting', unseen: 1 })
  expect(closed()).toEqual(['seen', 'removed'])
  erase('erased')
  expect(closed()).toEqual(['seen', 'removed', 'erased'])
  stop()
  expect(closed()).toEqual(['seen', 'removed', 'erased', 'left'])
})

it('stays quiet about the conversation at which the member looks', () => {
  const { change, play, selectedId } = setUp()
  selectedId.value = 'a'
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  change('a', { state: 'waiting', unseen: 1 })
  expect(play).not.toHaveBeenCalled()
})

it('is heard although the conversation is open on the screen of a member who is away', async () => {
  const { change, play, selectedId, isHere } = setUp()
  selectedId.value = 'a'
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  isHere.value = false
  change('a', { state: 'waiting', unseen: 1 })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(play).toHaveBeenCalledTimes(2)
})

it('goes on with the sound where the browser lets the page show no notification', () => {
  const { change, play } = setUp()
  vi.stubGlobal(
    'Notification',
    class {
      constructor() {
        throw new TypeError('Illegal constructor')
      }
    },
  )
  change('a', { state: 'waiting', unseen: 1 })
  change('a', { state: 'waiting', unseen: 2 })
  expect(play).toHaveBeenCalledTimes(2)
})

it('plays in one of several tabs that the member has touched, and in the next one when that is closed', async () => {
  let holder: Promise<void> | null = null
  const locks = {
    async request(_name: string, _options: object, run: (lock: object | null) => Promise<void> | undefined) {
      const held = run(holder ? null : {})
      if (!held) return
      holder = held
      await held
      holder = null
    },
  }
  vi.stubGlobal('navigator', { locks, userActivation: { hasBeenActive: true } })
  const [one, other] = [setUp(), setUp()]
  const changeInBoth = (unseen: number) => {
    one.change('a', { state: 'waiting', unseen })
    other.change('a', { state: 'waiting', unseen })
  }
  changeInBoth(1)
  changeInBoth(2)
  expect([one.play.mock.calls.length, other.play.mock.calls.length]).toEqual([2, 0])
  one.stop()
  await vi.advanceTimersByTimeAsync(0)
  other.change('a', { state: 'waiting', unseen: 3 })
  expect(other.play).toHaveBeenCalledTimes(1)
})

it('says again that as many wait as before when fewer did meanwhile', async () => {
  const { setWaiting, announcement } = setUp()
  const said: string[] = []
  announcement.subscribe(text => said.push(text))
  for (const waiting of [1, 2, 1, 2]) {
    setWaiting(waiting)
    await vi.advanceTimersByTimeAsync(10_000)
  }
  expect(said).toEqual(['', '2 people are waiting', '', '2 people are waiting'])
})
