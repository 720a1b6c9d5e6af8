import { signal } from '@preact/signals-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { BotProfile, Message } from '../../../contract/index.ts'
import type { Clock } from '../../environment/clock.ts'
import { en, type Strings } from '../../i18n/en.ts'
import { acme } from '../../testing/uiFixtures.ts'
import { createNotifications, type NotificationsDeps } from './createNotifications.ts'

afterEach(() => vi.restoreAllMocks())

interface Options extends Partial<Pick<NotificationsDeps, 'preview'>> {
  isLeader?: boolean
  isOpen?: boolean
  lang?: string
  /** Called when the widget is destroyed, before the notifications end. */
  onEnd?(state: { isViewHidden: { value: boolean } }): void
}

const answer = (seq: number, text: string): Message => ({
  id: `answer-${seq}`,
  seq,
  author: 'bot',
  text,
  format: 'plain',
  createdAt: '2026-03-14T11:00:00.000Z',
})

function setUp({ isLeader = true, isOpen = false, lang = 'en', onEnd, ...options }: Options = {}) {
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
  const messages = signal<readonly Message[]>([])
  const readSeq = signal(0)
  const profile = signal<BotProfile | null>(null)
  const isViewHidden = signal(false)
  /** Ids of the messages that a tab has shown a preview of. */
  const claimed = new Set<string>()
  let isHidden = false
  const visibilityListeners: (() => void)[] = []
  const play = vi.fn()
  const isPanelOpen = signal(isOpen)
  const layer = document.createElement('div')
  layer.append(button)
  root.append(layer)
  const launcherParts = { root, layer, button }
  const abortSignal = end.signal
  abortSignal.addEventListener('abort', () => onEnd?.({ isViewHidden }))
  const strings = signal<Strings>({ ...en, lang })
  const deps = {
    clock,
    page: {
      isHidden: () => isHidden,
      on: (_: string, fn: () => void) => {
        visibilityListeners.push(fn)
        return () => {}
      },
    } as unknown as NotificationsDeps['page'],
    abortSignal,
    launcherParts,
    titleBadge: true,
    unread,
    isViewHidden,
    conversation: {
      botProfile: { profile, load: async () => {} },
      messageStore: { messages, claimPreview: async ({ id }: Message) => !claimed.has(id) && !!claimed.add(id) },
      readState: { readSeq },
    },
    ...options,
    isLeader: () => isLeader,
    isPanelOpen,
    strings,
  }
  const passTime = () => {
    for (const fn of timers.splice(0)) fn()
  }
  return {
    ...createNotifications(deps, play),
    root,
    layer,
    button,
    isPanelOpen,
    unread,
    messages,
    readSeq,
    profile,
    isViewHidden,
    claimed,
    setHidden(hidden: boolean) {
      isHidden = hidden
      for (const listener of visibilityListeners) listener()
    },
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

describe('the preview of a message', () => {
  const settled = () => new Promise(resolve => setTimeout(resolve))
  const textIn = (layer: HTMLElement) => {
    const card = layer.querySelector('.preview') as HTMLElement
    return card.hidden ? '' : card.textContent
  }

  test('shows the newest unread message, and has screen readers announce it', async () => {
    const { layer, messages, passTime } = setUp()
    messages.value = [
      answer(1, 'Hello'),
      { ...answer(2, 'It arrives on Tuesday.'), author: 'agent', sender: { name: 'Nora' } },
    ]
    await settled()
    passTime()
    expect(textIn(layer)).toBe('NNoraIt arrives on Tuesday.')
    const announced = [...layer.querySelectorAll('[role=status]')].map(status => status.textContent)
    expect(announced).toContain('Nora: It arrives on Tuesday.')
  })

  test('marks what the bot writes with its language', async () => {
    const { layer, messages, profile } = setUp()
    const languages = () =>
      ['.text', '.speech', '[role=status]:last-child'].map(name => layer.querySelector<HTMLElement>(name)?.lang)
    profile.value = { ...acme, locale: 'de' }
    messages.value = [answer(1, 'Hallo')]
    await settled()
    expect(languages()).toEqual(['de', 'en', 'de'])
    messages.value = [{ ...answer(2, 'Hi'), author: 'agent' }]
    await settled()
    expect(languages()).toEqual(['en', 'en', 'en'])
  })

  test.each<[string, (state: ReturnType<typeof setUp>) => void]>([
    ['has been read', ({ readSeq }) => (readSeq.value = 1)],
    ['was removed', ({ messages }) => (messages.value = [{ ...answer(1, ''), removedAt: '2026-03-14T11:00:00.000Z' }])],
    ['belongs to somebody who has logged out', ({ messages }) => (messages.value = [])],
    ['must not be shown until the site has answered', ({ isViewHidden }) => (isViewHidden.value = true)],
    ['is in the open chat', ({ isPanelOpen }) => (isPanelOpen.value = true)],
  ])('disappears at once when the message %s', async (_, change) => {
    const state = setUp()
    state.messages.value = [answer(1, 'Hello')]
    await settled()
    state.passTime()
    expect(textIn(state.layer)).toContain('Hello')
    expect(state.layer.lastElementChild?.textContent).toBe('Chat: Hello')
    change(state)
    expect(state.layer.querySelector('.preview')?.textContent).toBe('')
    expect(state.layer.textContent).not.toContain('Hello')
    state.passTime()
    expect(state.layer.textContent).not.toContain('Hello')
  })

  test('leaves nothing behind when the widget is destroyed', async () => {
    const { layer, messages, passTime, end } = setUp()
    messages.value = [answer(1, 'Hello')]
    await settled()
    passTime()
    end()
    expect(layer.querySelector('.preview')).toBe(null)
    expect(layer.textContent).not.toContain('Hello')
  })

  test('is not filled again when the session ends before it', async () => {
    const { layer, messages, isViewHidden, passTime, end } = setUp({
      onEnd: state => (state.isViewHidden.value = false),
    })
    messages.value = [answer(1, 'Hello')]
    await settled()
    passTime()
    isViewHidden.value = true
    const [card, status] = [layer.querySelector('.preview'), layer.lastElementChild]
    end()
    passTime()
    expect([card?.textContent, status?.textContent]).toEqual(['', ''])
  })

  test('comes when the page is shown again, and never twice', async () => {
    const { layer, messages, setHidden, isPanelOpen } = setUp()
    setHidden(true)
    messages.value = [answer(1, 'Hello')]
    await settled()
    expect(textIn(layer)).toBe('')
    setHidden(false)
    await settled()
    expect(textIn(layer)).toContain('Hello')
    isPanelOpen.value = true
    isPanelOpen.value = false
    await settled()
    expect(textIn(layer)).toBe('')
  })

  test('is not shown if another tab has shown it', async () => {
    const { layer, messages, claimed } = setUp()
    claimed.add('answer-1')
    messages.value = [answer(1, 'Hello')]
    await settled()
    expect(textIn(layer)).toBe('')
  })

  test('opens the chat, or is dismissed, and gives the focus to the launcher', async () => {
    const { root, layer, button, messages } = setUp()
    const opened = vi.fn()
    document.body.append(root.host)
    button.onclick = opened
    for (const [seq, name] of [
      [1, '.dismiss'],
      [2, '.message'],
    ] as const) {
      messages.value = [answer(seq, 'Hello')]
      await settled()
      const control = layer.querySelector<HTMLElement>(name)
      control?.focus()
      control?.click()
      expect([textIn(layer), opened.mock.calls.length]).toEqual(['', seq - 1])
      expect(root.activeElement).toBe(button)
    }
  })

  test('does not exist if the site has turned it off', async () => {
    const { layer, messages } = setUp({ preview: 'false' })
    messages.value = [answer(1, 'Hello')]
    await settled()
    expect(layer.querySelector('.preview')).toBe(null)
  })
})
