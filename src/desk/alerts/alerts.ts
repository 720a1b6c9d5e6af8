import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { DeskConversation, MemberSummary } from '../../contract/desk.ts'
import { playChime } from '../../widget/notifications/chime.ts'
import { toPlainText } from '../../widget/notifications/toPlainText.ts'
import type { Api } from '../api.ts'
import type { DeskEvents } from '../events.ts'
import { type Format, interpolate } from '../i18n/format.ts'
import type { Strings } from '../i18n/locales/en.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Presence } from '../presence.ts'
import { conversationHref, type Router } from '../router.ts'
import { createThrottle } from '../throttle.ts'
import alertIcon from './alertIcon.svg'
import { type AlertSettings, createAlertSettings } from './alertSettings.ts'
import icon from './icon.svg'

/** What tells the member that somebody waits, also while the desk is not in sight. */
export interface Alerts {
  readonly settings: AlertSettings
  /** What screen readers say: that more people wait than before. */
  readonly announcement: ReadonlySignal<string>
  /**
   * Keeps the title and the icon of the page. Alerts the member, by sound and notification, when somebody waits for a person or
   * writes to the member, and repeats the sound while somebody waits at whom nobody has looked. Returns a function that stops it.
   */
  start(): () => void
}

export interface AlertsDeps {
  api: Pick<Api, 'get'>
  events: Pick<DeskEvents, 'subscribe'>
  inbox: Pick<Inbox, 'counts' | 'selectedId'>
  presence: Pick<Presence, 'isHere'>
  router: Pick<Router, 'go'>
  strings: Strings
  format: Format
  me: MemberSummary
  play?: () => void
}

const announcementPauseMs = 10_000
const repeatMs = 30_000

export function createAlerts({
  api,
  events,
  inbox,
  presence,
  router,
  strings,
  format,
  me,
  play = playChime,
}: AlertsDeps): Alerts {
  const settings = createAlertSettings(me.id)
  const announcement = signal('')
  const waiting = computed(() => inbox.counts.value?.waiting ?? 0)
  const total = computed(() => waiting.value + (inbox.counts.value?.mine ?? 0))
  const announcing = createThrottle(announcementPauseMs, () => {
    announcement.value = waiting.value > 0 ? format.count(strings.inbox.peopleWait, waiting.value) : ''
  })
  /** For how many unseen messages the member was alerted, by conversation. */
  const alerted = new Map<string, number>()
  /** The notifications that are shown, by conversation. */
  const shown = new Map<string, Notification>()
  let isSpeaker = false
  let stopSpeaking = () => {}

  const isInSight = (id: string) => presence.isHere.peek() && document.hasFocus() && inbox.selectedId.peek() === id

  /** How many more unseen messages the conversation has for the member than before. */
  function countMore({ id, state, assignee, unseen }: DeskConversation): number {
    const before = alerted.get(id) ?? 0
    const now = state === 'waiting' || assignee?.id === me.id ? unseen : 0
    alerted.set(id, now)
    return now - before
  }

  function follow(conversation: DeskConversation) {
    const more = countMore(conversation)
    // Somebody has looked, or has removed what the notification says.
    if (more < 0) hide(conversation.id)
    if (more <= 0 || isInSight(conversation.id)) return
    sound()
    notify(conversation)
  }

  /** Asks the platform who waits, as events may have been missed, and nothing says that a conversation was erased by command. */
  async function repeat() {
    const page = await api.get<'listDeskConversations'>('/conversations', { view: 'waiting' }).catch(() => null)
    const unseen = page?.data.filter(({ id, unseen }) => unseen > 0 && !isInSight(id)) ?? []
    if (unseen.length > 0) sound()
    for (const conversation of unseen) if (countMore(conversation) > 0) notify(conversation)
  }

  /** One tab plays for all: the first that the member has touched, as browsers let no other play. */
  function sound() {
    if (!settings.choices.peek().sound) return
    if (isSpeaker || !navigator.locks || !navigator.userActivation?.hasBeenActive) return play()
    void navigator.locks.request('natter-desk-sound', { ifAvailable: true }, lock => {
      if (!lock) return
      isSpeaker = true
      play()
      return new Promise<void>(resolve => {
        stopSpeaking = resolve
      })
    })
  }

  function notify({ id, contact, state, lastMessage }: DeskConversation) {
    const { notifications, texts } = settings.choices.peek()
    if (!notifications || !document.hidden) return
    const title = state === 'waiting' ? strings.alerts.waits : strings.alerts.writes
    try {
      const notification = new Notification(interpolate(title, { name: contact?.name || strings.inbox.guest }), {
        // A later one of the same conversation takes its place, also in another tab.
        tag: id,
        ...(texts && { body: toPlainText(lastMessage) }),
      })
      shown.set(id, notification)
      notification.onclick = () => {
        window.focus()
        router.go(conversationHref(id, 'all'))
        hide(id)
      }
    } catch {
      // Browsers of phones let only service workers show one.
    }
  }

  function hide(id: string) {
    shown.get(id)?.close()
    shown.delete(id)
  }

  function start(): () => void {
    let before = Number.POSITIVE_INFINITY
    const timer = setInterval(() => waiting.peek() > 0 && repeat(), repeatMs)
    const stops = [
      () => clearInterval(timer),
      announcing.cancel,
      () => stopSpeaking(),
      events.subscribe(({ event, data }) => {
        if (event === 'conversation') follow(data)
        if (event === 'gone') hide(data.conversationId)
        if (event === 'reset') void repeat()
      }),
      effect(() => {
        if (inbox.counts.value === null) return
        if (waiting.value > before) announcing.request()
        // The same words are said again only after others.
        if (waiting.value < before) announcement.value = ''
        before = waiting.value
      }),
      effect(() => {
        const { title } = strings.app
        document.title = total.value > 0 ? `(${format.number(total.value)}) ${title}` : title
      }),
      effect(() => {
        document.querySelector('link[rel=icon]')?.setAttribute('href', total.value > 0 ? alertIcon : icon)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
      for (const id of shown.keys()) hide(id)
    }
  }
  return { settings, announcement, start }
}
