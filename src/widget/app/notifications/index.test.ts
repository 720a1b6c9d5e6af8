import { signal } from '@preact/signals-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Clock } from '../environment.ts'
import { createNotifications } from './index.ts'

afterEach(() => vi.restoreAllMocks())

function attend({ isLeader = true, open = false } = {}) {
  const waits: (() => void)[] = []
  const clock = {
    setTimeout: (fn: () => void) => {
      waits.push(fn)
      return () => void waits.splice(waits.indexOf(fn), 1)
    },
  } as unknown as Clock
  const end = new AbortController()
  const count = signal(0)
  const play = vi.fn()
  const deps = {
    clock,
    abortSignal: end.signal,
    unread: count,
    isLeader: () => isLeader,
    panel: { isOpen: signal(open) },
  }
  const pass = () => {
    for (const fn of waits.splice(0)) fn()
  }
  return { ...createNotifications(deps, play), count, play, pass, end: () => end.abort() }
}

describe('createAttention', () => {
  test('sounds once for what comes unseen in the tab that acts for all', () => {
    const { message, count, play, pass } = attend()
    count.value = 2
    message()
    message()
    pass()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['another tab acts for all', { isLeader: false }, 1],
    ['the visitor looks at the panel', { open: true }, 1],
    ['it has been read elsewhere by then', {}, 0],
  ])('is silent where %s', (_, how, unseen) => {
    const { message, count, play, pass } = attend(how)
    count.value = unseen
    message()
    pass()
    expect(play).not.toHaveBeenCalled()
  })

  test('sounds in a hidden tab though its panel is open', () => {
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    const { message, count, play, pass } = attend({ open: true })
    count.value = 1
    message()
    pass()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test('keeps the number before the title, whatever the page makes of it, and takes it away', async () => {
    document.title = 'Shop'
    const { unread, count, end } = attend()
    count.value = 2
    unread()
    expect(document.title).toBe('(2) Shop')
    document.title = 'Basket'
    await expect.poll(() => document.title).toBe('(2) Basket')
    count.value = 0
    unread()
    expect(document.title).toBe('Basket')
    count.value = 1
    unread()
    end()
    expect(document.title).toBe('Basket')
  })
})
