import { signal } from '@preact/signals-core'
import { vi } from 'vitest'
import type { BotProfile, Message } from '../../contract/index.ts'
import type { Clock } from '../environment/clock.ts'
import { en, type Strings } from '../i18n/en.ts'
import { createNotifications } from '../notifications/createNotifications.ts'
import type { NotificationsDeps } from '../notifications/deps.ts'

interface Options extends Partial<Pick<NotificationsDeps, 'preview'>> {
  /** Whether another tab plays the sound. */
  isPlayedElsewhere?: boolean
  isOpen?: boolean
  lang?: string
  /** Called when the widget is destroyed, before the notifications end. */
  onEnd?(state: { isViewHidden: { value: boolean } }): void
}

/** A message of the bot. */
export const answer = (seq: number, text: string): Message => ({
  id: `answer-${seq}`,
  seq,
  author: 'bot',
  text,
  format: 'plain',
  createdAt: '2026-03-14T11:00:00.000Z',
})

/** Creates notifications of which a test controls everything else. */
export function setUpNotifications({
  isPlayedElsewhere = false,
  isOpen = false,
  lang = 'en',
  onEnd,
  ...options
}: Options = {}) {
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
      messageStore: {
        messages,
        async claim(how: 'previewedId' | 'soundedId', message?: Message) {
          if (how === 'soundedId') return !isPlayedElsewhere
          return !!message && !claimed.has(message.id) && !!claimed.add(message.id)
        },
      },
      readState: { readSeq },
    },
    ...options,
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
