import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { DeskSession } from '../contract/desk.ts'
import { type Alerts, createAlerts } from './alerts/alerts.ts'
import { type Api, createApi } from './api.ts'
import { type Conversations, createConversations } from './conversation/conversations.ts'
import { createEvents, type DeskEvents } from './events.ts'
import { createFormat, type Format } from './i18n/format.ts'
import type { Strings } from './i18n/locales/en.ts'
import { createInbox, type Inbox } from './inbox/inbox.ts'
import { createKeys, type Keys } from './keys.ts'
import { createPresence, type Presence } from './presence.ts'
import { createRouter, type Router } from './router.ts'
import { createSavedReplies, type SavedReplies } from './savedReplies/savedReplies.ts'
import { createSession, type SessionModel } from './session.ts'

/** What exists before anybody has signed in. */
export interface DeskApp {
  api: Api
  session: SessionModel
  router: Router
  strings: Strings
  format: Format
}

/** What the signed-in member works with. */
export interface Desk extends DeskApp {
  /** The member, the organization and the bots. */
  current: DeskSession
  events: DeskEvents
  inbox: Inbox
  conversations: Conversations
  savedReplies: SavedReplies
  alerts: Alerts
  presence: Presence
  keys: Keys
  /** The time, to the minute. */
  now: ReadonlySignal<number>
  /** Returns a function that ends everything. */
  start(): () => void
}

export function createDeskApp(strings: Strings): DeskApp {
  const api = createApi({
    memberId() {
      const state = session.state.peek()
      if (state.status === 'leaving') return null
      return state.status === 'signedIn' ? state.current.member.id : undefined
    },
    onSignedOut: () => session.end(),
  })
  const session = createSession(api)
  return { api, session, router: createRouter(), strings, format: createFormat(strings.lang, strings) }
}

const minuteMs = 60_000

export function createDesk(app: DeskApp, current: DeskSession): Desk {
  const events = createEvents({ ...app, memberId: current.member.id })
  const inbox = createInbox({ ...app, events, memberId: current.member.id })
  const conversations = createConversations({ ...app, events, me: current.member })
  const savedReplies = createSavedReplies(app.api)
  // A notice that is lost comes again within a minute.
  const presence = createPresence(presence => app.api.put<'setPresence'>('/presence', { presence }).catch(() => {}))
  const alerts = createAlerts({ ...app, events, inbox, presence, me: current.member })
  const keys = createKeys()
  const now = signal(Date.now())
  return {
    ...app,
    current,
    events,
    inbox,
    conversations,
    savedReplies,
    alerts,
    presence,
    keys,
    now,
    start() {
      const timer = setInterval(() => {
        now.value = Date.now()
      }, minuteMs)
      const stops = [
        () => clearInterval(timer),
        inbox.start(),
        effect(() => conversations.show(inbox.selectedId.value)),
        conversations.start(),
        events.subscribe(({ event }) => event === 'session.ended' && app.session.end()),
        events.start(),
        alerts.start(),
        keys.start(),
        presence.start(),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
