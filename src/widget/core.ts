import { type Clock, systemClock } from './clock.ts'
import type { AuthState, CurrentContact, WidgetEvents } from './events.ts'
import { createPage, type Page } from './page.ts'
import { createBot } from './state/bot.ts'
import { type ConversationModel, createConversation } from './state/conversation.ts'
import { createLive } from './state/live.ts'
import { createOutbox } from './state/outbox.ts'
import { createPanel, type PanelModel } from './state/panel.ts'
import { createSession, type SessionModel } from './state/session.ts'
import { type Area, createArea, isBlocked } from './storage/area.ts'
import { createCache, createIndexedDbTransact, type Transact } from './storage/cache.ts'
import { createEpochStore } from './storage/epoch.ts'
import { createTokenStore } from './storage/token.ts'
import { en, type Strings } from './strings/en.ts'
import { createMessageId } from './transport/messageId.ts'
import { createPatience } from './transport/patience.ts'
import { createWire } from './transport/wire.ts'

/** What the panel draws from. */
export interface Models {
  session: SessionModel
  conversation: ConversationModel
  panel: PanelModel
  strings: Strings
  /** `#rrggbb` that the site set; without it the bot's own counts. */
  accent: string | undefined
}

export interface CoreSettings {
  botId: string
  baseUrl: string
  strings: Partial<Strings> | undefined
  accent: string | undefined
  emit<Name extends keyof WidgetEvents>(event: Name, detail: WidgetEvents[Name]): void
}

/** Everything outside the widget that the core touches. */
export interface World {
  clock: Clock
  page: Page
  area: Area
  transact: Transact
  fetch: typeof fetch
  storageBlocked: boolean
  createMessageId(): string
}

/** The widget without its view. */
export interface Core {
  models: Models
  state(): AuthState
  contact(): CurrentContact | null
  /** Restores what stands in storage. Not called where the page itself logs in or out first. */
  start(): void
  login(token: string): Promise<{ contact: CurrentContact | null }>
  /** `token`: what is to be revoked, where it is no longer in storage. */
  logout(token?: string | null): Promise<void>
  setOpen(open: boolean): void
  message(message: { text?: string; prefill?: string }): void
  destroy(): void
}

/** Wires state, transport and storage. */
export function createCore(settings: CoreSettings, world: World = createWorld(settings.botId)): Core {
  const { botId, baseUrl, accent, emit } = settings
  const { clock, page, area, fetch } = world
  const patience = createPatience(clock)
  const wire = createWire({ baseUrl, botId, clock, patience, fetch })
  const cache = createCache(world.transact, clock)
  const end = new AbortController()
  const fail = (code: WidgetEvents['error']['code']) => () => emit('error', { code })

  const bot = createBot({ wire, patience, over: end.signal, onUnavailable: fail('bot_unavailable') })
  const panel = createPanel({
    cache,
    onOpen(open) {
      if (open) void bot.load()
      emit(open ? 'open' : 'close', undefined)
    },
  })
  const outbox = createOutbox({
    wire,
    clock,
    page,
    patience,
    cache,
    createMessageId: world.createMessageId,
    bearer: scope => session.bearer(scope),
    onStored: (scope, message) => conversation.receive(scope, message),
    onEnded: (scope, reason) => session.end(scope, reason),
    onFailed: fail('message_failed'),
  })
  const conversation = createConversation({
    wire,
    page,
    patience,
    cache,
    bot,
    live: createLive(clock),
    outbox,
    onEnded: (scope, reason) => session.end(scope, reason),
    onMessage: message => emit('message', message),
    onUnread: count => emit('unread', { count }),
    onHistoryFailed: fail('history_failed'),
  })
  const session = createSession({
    lockName: `natter:${botId}:session`,
    wire,
    clock,
    page,
    patience,
    tokens: createTokenStore(area, botId),
    epochs: createEpochStore(area, botId, clock),
    cache,
    onBegin(scope) {
      conversation.begin(scope)
      panel.begin()
    },
    onEnter(scope, state, stored) {
      conversation.enter(scope, state, stored)
      panel.enter(scope, stored.draft)
    },
    onBearer: (scope, state) => conversation.join(scope, state),
    onAuth: change => emit('auth', change),
  })

  const undo = [
    page.on('storage', session.sync),
    page.on('online', () => conversation.setOnline(true)),
    page.on('offline', () => conversation.setOnline(false)),
    page.on('pagehide', session.suspend),
    page.on('pageshow', () => {
      if (session.resume()) session.start()
    }),
    page.on('visibilitychange', () => {
      if (!page.visible()) return
      session.sync()
      patience.wake()
    }),
  ]

  return {
    models: {
      session: Object.assign(session, { storageBlocked: world.storageBlocked }),
      conversation,
      panel,
      strings: { ...en, ...settings.strings },
      accent,
    },
    state: session.state,
    contact: () => session.contact.peek(),
    start: session.start,
    login: session.login,
    logout: session.logout,
    setOpen: panel.setOpen,
    message({ text, prefill }) {
      if (text) conversation.send(text)
      if (prefill) panel.setDraft(prefill)
    },
    destroy() {
      for (const off of undo) off()
      end.abort()
      session.stop()
      conversation.stop()
    },
  }
}

/** The browser as it is. */
export function createWorld(botId: string): World {
  return {
    clock: systemClock,
    page: createPage(),
    area: createArea(),
    transact: createIndexedDbTransact(`natter:${botId}`),
    fetch: (...request) => fetch(...request),
    storageBlocked: isBlocked(),
    createMessageId,
  }
}
