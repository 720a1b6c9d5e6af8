import { signal } from '@preact/signals-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Clock } from '../../environment/clock.ts'
import { en, type Strings } from '../../i18n/en.ts'
import { createNotifications } from './createNotifications.ts'

afterEach(() => vi.restoreAllMocks())

function setUp({ isLeader = true, isOpen = false, lang = 'en' } = {}) {
  const button = document.createElement('button')
  const root = document.createElement('div').attachShadow({ mode: 'open' })
  const timers: (() => void)[] = []
  const clock = {
    now: () => 0,
    random: () => 0.5,
    setTimeout: (fn: () => void) => {
      timers.push(fn)
      return () => void timers.splice(timers.indexOf(fn), 1)
    },
  } satisfies Clock
  const end = new AbortController()
  const unread = signal(0)
  const play = vi.fn()
  const isPanelOpen = signal(isOpen)
  const layer = document.createElement('div')
  layer.append(button)
  root.append(layer)
  const launcherParts = { root, layer, button }
  const abortSignal = end.signal
  const strings = signal<Strings>({ ...en, lang })
  const deps = {
    clock,
    abortSignal,
    launcherParts,
    titleBadge: true,
    unread,
    isLeader: () => isLeader,
    isPanelOpen,
    strings,
  }
  const passTime = () => {
    for (const fn of timers.splice(0)) fn()
  }
  return {
    ...createNotifications(deps, play),
    layer,
    button,
    isPanelOpen,
    unread,
    play,
    passTime,
    end: () => end.abort(),
  }
}

describe('createNotifications', () => {
  test('has screen readers announce what comes while the panel is closed', () => {
    const { layer, unread, isPanelOpen, passTime } = setUp()
    const announced = () => {
      passTime()
      return layer.querySelector('[role=status]')?.textContent
    }
    expect(announced()).toBe('')
    unread.value = 2
    expect(announced()).toBe('Chat, 2 unread')
    isPanelOpen.value = true
    expect(announced()).toBe('')
  })

  test('counts unread messages at the launcher while the panel is closed', () => {
    const { button, unread, isPanelOpen } = setUp()
    const badge = button.lastElementChild as HTMLElement
    expect(badge.hidden).toBe(true)
    unread.value = 2
    expect([badge.hidden, badge.textContent]).toEqual([false, '2'])
    unread.value = 120
    expect(badge.textContent).toBe('99+')
    isPanelOpen.value = true
    expect(badge.hidden).toBe(true)
  })

  test('writes numbers with the digits of the language', () => {
    document.title = 'Shop'
    const { button, unread, showUnread, end } = setUp({ lang: 'fa' })
    unread.value = 12
    showUnread()
    expect([button.lastElementChild?.textContent, document.title]).toEqual(['۱۲', '(۱۲) Shop'])
    unread.value = 100
    expect(button.lastElementChild?.textContent).toBe('۹۹+')
    end()
  })

  test('plays one sound for several unread messages in the leading tab', () => {
    const { announceMessage, unread, play, passTime } = setUp()
    unread.value = 2
    announceMessage()
    announceMessage()
    passTime()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['another tab is the leader', { isLeader: false }, 1],
    ['the visitor looks at the panel', { isOpen: true }, 1],
    ['the message has been read elsewhere meanwhile', {}, 0],
  ])('plays nothing when %s', (_, options, count) => {
    const { announceMessage, unread, play, passTime } = setUp(options)
    unread.value = count
    announceMessage()
    passTime()
    expect(play).not.toHaveBeenCalled()
  })

  test('plays in a hidden tab though its panel is open', () => {
    vi.spyOn(Object.getPrototypeOf(document) as Document, 'hidden', 'get').mockReturnValue(true)
    const { announceMessage, unread, play, passTime } = setUp({ isOpen: true })
    unread.value = 1
    announceMessage()
    passTime()
    expect(play).toHaveBeenCalledTimes(1)
  })

  test('shows the number of unread messages in the title until it is stopped', () => {
    document.title = 'Shop'
    const { showUnread, announceMessage, unread, end, play, passTime } = setUp()
    unread.value = 2
    showUnread()
    announceMessage()
    expect(document.title).toBe('(2) Shop')
    end()
    passTime()
    showUnread()
    expect(document.title).toBe('Shop')
    expect(play).not.toHaveBeenCalled()
  })
})
