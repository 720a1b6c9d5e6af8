import type { DeskConversation, MemberSummary } from '../../contract/desk.ts'
import { playChime } from '../../widget/notifications/chime.ts'
import { toPlainText } from '../../widget/notifications/toPlainText.ts'
import type { DeskEvents } from '../events.ts'
import { interpolate } from '../i18n/format.ts'
import type { Strings } from '../i18n/locales/en.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { conversationHref, type Router } from '../router.ts'
import type { AlertSettings } from './alertSettings.ts'

export interface CallerDeps {
  settings: Pick<AlertSettings, 'choices'>
  events: Pick<DeskEvents, 'subscribe'>
  inbox: Pick<Inbox, 'selectedId'>
  router: Pick<Router, 'go'>
  strings: Strings
  me: MemberSummary
  play?: () => void
}

const repeatMs = 30_000

/**
 * Calls the member, by sound and notification, when somebody waits for a person or writes to the member. While somebody waits
 * whose messages nobody has looked at, the sound is repeated. Returns a function that stops it.
 */
export function startCaller({
  settings,
  events,
  inbox,
  router,
  strings,
  me,
  play = playChime,
}: CallerDeps): () => void {
  /** The conversations for which the member was called, with the number of messages that nobody had looked at. */
  const called = new Map<string, number>()
  const waiting = new Set<string>()

  function follow(conversation: DeskConversation) {
    const { id, state, assignee, unseen } = conversation
    const isForMember = unseen > 0 && (state === 'waiting' || assignee?.id === me.id)
    const before = called.get(id) ?? 0
    if (isForMember) called.set(id, unseen)
    else called.delete(id)
    if (isForMember && state === 'waiting') waiting.add(id)
    else waiting.delete(id)
    const isInSight = document.hasFocus() && inbox.selectedId.peek() === id
    if (isForMember && unseen > before && !isInSight) call(conversation)
  }

  function sound() {
    if (settings.choices.peek().sound) play()
  }

  function call({ id, contact, state, lastMessage }: DeskConversation) {
    sound()
    const { notifications, texts } = settings.choices.peek()
    if (!notifications || !document.hidden) return
    const title = state === 'waiting' ? strings.alerts.waits : strings.alerts.writes
    const notification = new Notification(interpolate(title, { name: contact?.name || strings.inbox.guest }), {
      // A later one of the same conversation takes its place, also in another tab.
      tag: id,
      ...(texts && { body: toPlainText(lastMessage) }),
    })
    notification.onclick = () => {
      window.focus()
      router.go(conversationHref(id, 'all'))
      notification.close()
    }
  }

  const unsubscribe = events.subscribe(event => {
    if (event.event === 'conversation') follow(event.data)
    if (event.event === 'gone') {
      called.delete(event.data.conversationId)
      waiting.delete(event.data.conversationId)
    }
  })
  const timer = setInterval(() => waiting.size > 0 && sound(), repeatMs)
  return () => {
    unsubscribe()
    clearInterval(timer)
  }
}
