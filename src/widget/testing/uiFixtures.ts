import { type Signal, signal } from '@preact/signals-core'
import { configure } from '@testing-library/preact'
import type { BotProfile, Message } from '../../contract/index.ts'
import type { WidgetModels } from '../app/createApp.ts'
import type { Connection, ConversationModel, PendingMessage, StreamingState } from '../conversation/conversation.ts'
import type { DraftModel } from '../conversation/draft.ts'
import type { PanelModel } from '../conversation/panel.ts'
import { en, type Strings } from '../i18n/en.ts'
import type { SignInModel } from '../identity/signIn.ts'
import type { SessionModel, SessionStatus } from '../identity/visitorSession.ts'
import type { AuthState } from '../loader/events.ts'

// The timeout detects a hang. It must not depend on the machine's speed.
configure({ asyncUtilTimeout: 15_000 })

/** The profile of a shop's bot. */
export const acme: BotProfile = {
  id: 'b1',
  name: 'Acme Outfitters',
  subtitle: '',
  avatar: '',
  greeting: 'Hello!\nAsk me about orders, returns or sizes. What can I do for you?',
  quickReplies: ['Where is my order?', 'Return something', 'Size guide'],
  accent: '',
  locale: 'en',
  images: false,
  handover: false,
  agentPauseSeconds: 1800,
  ratings: false,
  attachments: false,
  eraseByVisitor: false,
  email: false,
  visitors: 'everyone',
  openings: [],
}

/** A stored message at 09:40 plus `minutes` in the visitor's time zone. */
export function storedMessage(seq: number, author: Message['author'], text: string, minutes = seq, more = {}): Message {
  const createdAt = new Date(2026, 2, 14, 9, 40 + minutes).toISOString()
  return { id: `m${seq}`, seq, author, text, format: 'plain', createdAt, ...more }
}

/** A message of the visitor that is not stored yet. */
export function pendingMessage(id: string, text: string, status: PendingMessage['status'] = 'sending'): PendingMessage {
  return { id, text, status, createdAt: new Date(2026, 2, 14, 9, 50).toISOString() }
}

type Writable<Model> = {
  [Key in keyof Model]: Model[Key] extends { readonly value: infer Value; peek(): unknown }
    ? Signal<Value>
    : Model[Key] extends (...args: never[]) => unknown
      ? Model[Key]
      : Writable<Model[Key]>
}

/** Creates models of plain signals. Calls of actions are recorded in `calls` and mostly change nothing. */
export function createFixture(): WidgetModels & {
  session: Writable<SessionModel>
  signIn: Writable<SignInModel>
  conversation: Writable<ConversationModel>
  draft: Writable<DraftModel>
  panel: Writable<PanelModel>
  setTexts(texts: Partial<Strings>): void
  calls: unknown[][]
} {
  const calls: unknown[][] = []
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      calls.push([name, ...args])
    }
  const noteAsync =
    (name: string) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args])
    }
  const strings = signal<Strings>(en)
  const open = signal(true)
  const draft = signal('')
  const isOn = signal(false)
  return {
    calls,
    strings,
    setTexts: texts => {
      strings.value = { ...en, ...texts }
    },
    areStringsReady: signal(true),
    accent: undefined,
    session: {
      status: signal<SessionStatus>('anonymous'),
      authState: signal<AuthState>('anonymous'),
      contact: signal(null),
      endReason: signal(null),
      isStorageBlocked: signal(false),
      scopeKey: signal('1'),
      login: async () => ({ contact: null }),
      logout: noteAsync('logout'),
      dismissEndReason: note('dismissEnded'),
    },
    signIn: {
      isViewHidden: signal(false),
      isUnreachable: signal(false),
      hasFailed: signal(false),
      isRequired: signal(false),
      canWrite: signal(true),
      request: note('requestSignIn'),
      retry: note('retrySignIn'),
    },
    conversation: {
      botProfile: { profile: signal<BotProfile | null>(acme), status: signal('ready'), load: noteAsync('retryBot') },
      messageStore: {
        messages: signal<readonly Message[]>([]),
        history: signal('complete'),
        loadOlder: noteAsync('loadOlder'),
      },
      outbox: {
        pending: signal<readonly PendingMessage[]>([]),
        send: note('send'),
        retry: note('retry'),
        remove: note('remove'),
      },
      reply: {
        streaming: signal<StreamingState | null>(null),
        typing: signal(null),
        isStoppable: signal(false),
        isPaused: signal(false),
      },
      stopReply: noteAsync('stopReply'),
      send: async () => undefined,
      hasEmail: signal(false),
      leaveEmail: async email => {
        calls.push(['leaveEmail', email])
        return 'left'
      },
      ratings: { pending: signal(new Map()), rate: note('rate') },
      readState: { readSeq: signal(0), unread: signal(0), markRead: note('markRead') },
      connection: signal<Connection>('live'),
      attachments: { model: signal(null), load: async () => undefined },
      handoverRequest: { status: signal('none'), send: noteAsync('requestHandover') },
    },
    draft: {
      text: draft,
      maxLength: 20_000,
      isTruncated: signal(false),
      setText: text => {
        draft.value = text
      },
    },
    panel: {
      isOpen: open,
      opener: signal<Element | null>(null),
      shouldTakeFocus: signal(true),
      openCount: signal(1),
      close: () => {
        calls.push(['close'])
        open.value = false
      },
      reportRenderError: note('reportRenderError'),
    },
    sound: {
      isOn,
      set: on => {
        isOn.value = on
      },
    },
  }
}
