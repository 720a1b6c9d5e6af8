import { type Signal, signal } from '@preact/signals-core'
import { configure } from '@testing-library/preact'
import type { BotFace, Message } from '../../contract/index.ts'
import type { Models } from '../core.ts'
import type { Connection, ConversationModel, PartialReply, PendingMessage } from '../state/conversation.ts'
import type { SessionModel, SessionStatus } from '../state/sessionModel.ts'
import { en, type Strings } from '../strings/en.ts'

// A hang is what it guards against, not a slow machine.
configure({ asyncUtilTimeout: 15_000 })

/** What the shop's bot shows before anything is said. */
export const acme: BotFace = {
  id: 'b1',
  name: 'Acme Outfitters',
  avatar: '',
  greeting: 'Hello! Ask me about orders, returns or sizes.\nWhat can I do for you?',
  quickReplies: ['Where is my order?', 'Return something', 'Size guide'],
  accent: '',
  locale: 'en',
  images: false,
}

/** Stored message number `seq`, at 09:40 plus `minutes` on the clock of the visitor. */
export function said(seq: number, author: Message['author'], text: string, minutes = seq, more = {}): Message {
  const createdAt = new Date(2026, 2, 14, 9, 40 + minutes).toISOString()
  return { id: `m${seq}`, seq, author, text, format: 'plain', createdAt, ...more }
}

/** An own message under way. */
export function underWay(id: string, text: string, status: PendingMessage['status'] = 'sending'): PendingMessage {
  return { id, text, status, createdAt: new Date(2026, 2, 14, 9, 50).toISOString() }
}

type Writable<Model> = {
  [Key in keyof Model]: Model[Key] extends { readonly value: infer Value } ? Signal<Value> : Model[Key]
}

/** Models of plain signals for tests of the view: what it asks for is noted in `calls` and changes nothing. */
export function createFixture(): Models & {
  session: Writable<SessionModel>
  conversation: Writable<ConversationModel>
  panel: { open: Signal<boolean>; draft: Signal<string> }
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
  let on = false
  return {
    calls,
    get strings() {
      return strings.value
    },
    setTexts: texts => {
      strings.value = { ...en, ...texts }
    },
    worded: signal(true),
    accent: undefined,
    session: {
      status: signal<SessionStatus>('anonymous'),
      contact: signal(null),
      ended: signal(null),
      storageBlocked: () => false,
      login: async () => ({ contact: null }),
      logout: noteAsync('logout'),
      dismissEnded: note('dismissEnded'),
    },
    conversation: {
      bot: signal<BotFace | null>(acme),
      botStatus: signal('ready'),
      messages: signal<readonly Message[]>([]),
      pending: signal<readonly PendingMessage[]>([]),
      partial: signal<PartialReply | null>(null),
      typing: signal(null),
      connection: signal<Connection>('live'),
      history: signal('complete'),
      readSeq: signal(0),
      unread: signal(0),
      loadOlder: noteAsync('loadOlder'),
      retryBot: noteAsync('retryBot'),
      send: note('send'),
      retry: note('retry'),
      remove: note('remove'),
      markRead: note('markRead'),
      leads: () => true,
    },
    panel: {
      open,
      draft,
      setDraft: text => {
        draft.value = text
      },
      sound: {
        isOn: () => on,
        set: (next: boolean) => {
          on = next
        },
      },
      close: () => {
        calls.push(['close'])
        open.value = false
      },
    },
  }
}
