// @vitest-environment happy-dom
import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeskConversation, DeskEvent } from '../../contract/desk.ts'
import { en } from '../i18n/locales/en.ts'
import { conversation } from '../testing/deskFixtures.ts'
import { startCaller } from './caller.ts'

const shown: { title: string; tag?: string; body?: string; onclick?: () => void }[] = []
class TestNotification {
  static permission = 'granted'
  onclick = () => {}
  constructor(title: string, options: object) {
    shown.push(Object.assign(this, { title }, options))
  }
  close() {}
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('Notification', TestNotification)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  shown.length = 0
})

/** The caller of Nora's desk, which another window hides. */
function setUp(choices = { sound: true, notifications: true, texts: false }) {
  const isHidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  let emit: (event: DeskEvent) => void = () => {}
  const visited: string[] = []
  const selectedId = signal<string | null>(null)
  const play = vi.fn()
  const stop = startCaller({
    settings: { choices: signal(choices) },
    events: {
      subscribe(listener) {
        emit = listener
        return () => {}
      },
    },
    inbox: { selectedId },
    router: { go: href => void visited.push(href) },
    strings: en,
    me: { id: 'nora', name: 'Nora' },
    play,
  })
  const change = (id: string, values: Partial<DeskConversation>) =>
    emit({ event: 'conversation', data: conversation(id, values) })
  return { change, emit: (event: DeskEvent) => emit(event), play, visited, selectedId, isHidden, stop }
}

it('calls for who waits and for who writes to the member, once for each message, and for nobody else', () => {
  const { change, play, visited } = setUp()
  change('a', { unseen: 1 })
  change('b', { state: 'open', assignee: { id: 'sam', name: 'Sam' }, unseen: 1 })
  expect(play).not.toHaveBeenCalled()
  change('a', { state: 'waiting', unseen: 1 })
  change('a', { state: 'waiting', unseen: 1, readSeq: 1 })
  change('a', { state: 'waiting', unseen: 2 })
  change('c', { state: 'open', assignee: { id: 'nora', name: 'Nora' }, unseen: 1 })
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

it('repeats the sound until somebody has looked, or the conversation is gone', () => {
  const { change, emit, play, stop } = setUp()
  change('a', { state: 'waiting', unseen: 1 })
  change('b', { state: 'waiting', unseen: 1 })
  vi.advanceTimersByTime(60_000)
  expect(play).toHaveBeenCalledTimes(4)
  change('a', { state: 'waiting', unseen: 0 })
  vi.advanceTimersByTime(30_000)
  expect(play).toHaveBeenCalledTimes(5)
  emit({ event: 'gone', data: { conversationId: 'b' } })
  vi.advanceTimersByTime(60_000)
  expect(play).toHaveBeenCalledTimes(5)
  change('c', { state: 'waiting', unseen: 1 })
  stop()
  vi.advanceTimersByTime(60_000)
  expect(play).toHaveBeenCalledTimes(6)
})

it('shows a notification only while the desk is hidden, with the text only if that is wanted', () => {
  const { change, isHidden, play } = setUp({ sound: false, notifications: true, texts: true })
  change('a', { state: 'waiting', unseen: 1 })
  isHidden.mockReturnValue(false)
  change('a', { state: 'waiting', unseen: 2 })
  expect(shown.map(({ body }) => body)).toEqual(['Hello'])
  expect(play).not.toHaveBeenCalled()
})

it('stays quiet about the conversation at which the member looks', () => {
  const { change, play, selectedId } = setUp()
  selectedId.value = 'a'
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  change('a', { state: 'waiting', unseen: 1 })
  expect(play).not.toHaveBeenCalled()
})
