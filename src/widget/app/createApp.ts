import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { EndReason } from '../../contract/index.ts'
import { type Credentials, createApiClient } from '../api/apiClient.ts'
import { createBackoff } from '../api/backoff.ts'
import { createMessageId } from '../api/messageId.ts'
import { en, type OwnStrings, type Strings } from '../i18n/en.ts'
import type { textsIn } from '../i18n/locales.ts'
import type { Emitter } from '../loader/events.ts'
import type { WidgetOptions } from '../loader/options.ts'
import {
  type ConversationCore,
  type ConversationModel,
  createConversation,
} from '../models/conversation/conversation.ts'
import { maxLength } from '../models/conversation/outbox.ts'
import { createDraft, type DraftCore, type DraftModel } from '../models/draft.ts'
import { createPanel, type PanelCore, type PanelModel } from '../models/panel.ts'
import { createSession } from '../models/session/session.ts'
import type { SessionCore, SessionDeps, SessionModel } from '../models/session/sessionModel.ts'
import { createSound, type SoundModel } from '../models/sound.ts'
import { createCache, createIndexedDbUpdate, type Update } from '../storage/conversationCache.ts'
import { createIdentityStore } from '../storage/identityStore.ts'
import type { coordinateTabs } from '../tabs/index.ts'
import { type Clock, systemClock } from './clock.ts'
import type { createNotifications, Notifications } from './notifications/createNotifications.ts'
import { createPage, type Page, type PageSignal } from './page.ts'

/** What the panel renders from. */
export interface WidgetModels {
  session: SessionModel
  conversation: ConversationModel
  draft: DraftModel
  panel: PanelModel
  sound: SoundModel
  /** The texts of the current language. */
  strings: ReadonlySignal<Strings>
  /** Whether they have come, or have taken too long to wait for: the panel can be shown. */
  areStringsReady: ReadonlySignal<boolean>
  /** `#rrggbb` that the site set; without it the bot's own counts. */
  accent: string | undefined
}

export interface AppSettings extends Pick<WidgetOptions, 'botId' | 'persist' | 'refreshToken' | 'titleBadge'> {
  baseUrl: string
  /** BCP 47 tags with commas between. */
  locale: string
  /** The site's own texts, which count in every language. */
  strings?: OwnStrings | undefined
  /** Hears the texts whenever they change. */
  show(view: { texts: Strings }): void
  accent?: string | undefined
  emit: Emitter['emit']
}

/** Everything outside the widget that the core touches. */
export interface Environment {
  clock: Clock
  page: Page
  storage: () => Storage
  update: Update
  fetch: typeof fetch
  createMessageId(): string
  renewal: SessionDeps['renewal']
  /** Fetches what makes the tabs of an origin agree. */
  tabs(): Promise<{ coordinateTabs: typeof coordinateTabs }>
  /** Fetches what tells of unread messages beside the launcher. */
  notifications(): Promise<{ createNotifications: typeof createNotifications }>
  /** Finds out whether the platform refuses this page, and if so tells the site's owner. */
  onRefused(): void
  /** Fetches what knows the languages other than English. */
  locales(): Promise<{ textsIn: typeof textsIn }>
}

/** The widget without its view. `session.start()` is for the caller, who knows whether the page has logged in first. */
export interface App extends WidgetModels {
  session: SessionCore
  conversation: ConversationCore
  draft: DraftCore
  panel: PanelCore
  /** Sends `text` as the visitor's message, puts `prefill` into the composer. */
  message(words: { text?: string; prefill?: string }): void
  /** Speaks another language as soon as its texts are there; English when they can't be had. */
  setLocale(tags: string): void
  destroy(): void
}

/** How long the opening panel waits for its language. */
const patienceMs = 1000

/** Wires state, transport and storage. */
export function createApp(settings: AppSettings, given?: Environment): App {
  const { botId, accent, refreshToken, titleBadge, persist = 'local', strings, show } = settings
  const end = new AbortController()
  const abortSignal = end.signal
  const environment = given ?? createEnvironment(settings, abortSignal)
  const { clock, page } = environment
  const sound = createSound(`natter:${botId}:sound`, environment.storage)
  const emit: Emitter['emit'] = (event, detail) => {
    settings.emit(event, detail)
    // As an attribute it may have no value at all.
    if (event === 'unread' && /^(true)?$/.test(`${titleBadge}`)) void notify('updateTitle')
    if (event === 'message' && sound.isOn.peek()) void notify('announceMessage')
  }
  const backoff = createBackoff(clock)
  const onEnded = (credentials: Credentials, reason: EndReason) => session.end(credentials, reason)
  const api = createApiClient({ ...settings, ...environment, backoff, onEnded })
  const identity = createIdentityStore(botId, clock, environment.storage, page.notifySameWindow)
  const shared = persist === 'local'
  const cache = createCache(shared ? environment.update : identity.update, clock)
  const deps = { ...environment, emit, abortSignal, backoff, api, cache, onEnded }
  const conversation: ConversationCore = createConversation({
    ...deps,
    acquireToken: (scope, shouldStopRetrying) => session.acquireToken(scope, shouldStopRetrying),
    // A browser copies a tab's session with the tab: one of them would not hear of the other's logout.
    channelName: `natter:${botId}:1:${shared ? '' : environment.createMessageId()}`,
    join: async participant => (await environment.tabs()).coordinateTabs(participant, { ...deps, conversation, draft }),
  })
  const draft = createDraft(deps)
  const panel = createPanel(deps, () => {
    void conversation.botProfile.load()
    // What could not be fetched is tried again.
    void setLocale(wanted)
  })
  const session: SessionCore = createSession({
    ...deps,
    lockName: `natter:${botId}:session`,
    refreshToken,
    identity,
    onBegin(scope) {
      conversation.begin(scope)
      draft.begin(scope)
    },
    onEnter(scope, state, stored) {
      conversation.enter(scope, state, stored)
      draft.enter(scope, stored.draft)
    },
    onTokenChange: conversation.join,
  })

  let notifications: Notifications | undefined
  /** Sound and title, which few want, come when there is something to tell. */
  async function notify(action: keyof Notifications) {
    try {
      const { createNotifications } = await environment.notifications()
      notifications ||= createNotifications({
        ...deps,
        unread: conversation.readState.unread,
        isLeader: conversation.outbox.isLeader,
        isPanelOpen: panel.isOpen,
      })
      notifications[action]()
    } catch {
      // The launcher says it, too.
    }
  }

  const reactions: Record<PageSignal, () => void> = {
    storage: session.sync,
    natter: session.sync,
    online: () => conversation.setOnline(true),
    offline: () => conversation.setOnline(false),
    pagehide: session.suspend,
    pageshow: session.resume,
    visibilitychange() {
      session.sync()
      backoff.retryNow()
    },
  }
  // Not `for … in`, here and elsewhere: pages add to `Object.prototype`.
  for (const signal of Object.keys(reactions) as PageSignal[]) {
    abortSignal.addEventListener('abort', page.on(signal, reactions[signal]))
  }

  const texts = signal<Strings>({ ...en, ...strings })
  const areStringsReady = signal(false)
  let wanted = settings.locale
  async function setLocale(tags: string) {
    wanted = tags
    const spoken = /^en\b/i.test(tags)
      ? { lang: tags.split(',')[0] as string }
      : await environment
          .locales()
          .then(({ textsIn }) => textsIn(tags))
          .catch(() => ({}))
    // An earlier answer may come later.
    if (wanted !== tags) return
    texts.value = { ...en, ...spoken, ...strings }
    areStringsReady.value = true
    show({ texts: texts.value })
  }
  void setLocale(wanted)
  abortSignal.addEventListener(
    'abort',
    clock.after(patienceMs, () => {
      areStringsReady.value = true
    }),
  )

  return {
    session,
    conversation,
    draft,
    panel,
    sound,
    strings: texts,
    areStringsReady,
    setLocale,
    accent,
    message({ text = '', prefill = '' }) {
      const isLong = [...`${text}`.trim()].length > maxLength
      if (text && !isLong) conversation.outbox.send(`${text}`)
      // What can't be sent stands where the visitor sees why.
      const unsent = isLong ? text : prefill
      if (unsent) draft.setText(`${unsent}`)
    },
    destroy: () => end.abort(),
  }
}

/** The browser as it is. */
const createEnvironment = (
  { baseUrl, botId, persist = 'local' }: AppSettings,
  abortSignal: AbortSignal,
): Environment => ({
  clock: systemClock,
  page: createPage(),
  // There is no `memoryStorage`: using it fails, and what storage refuses is kept in memory.
  storage: () => window[`${persist}Storage` as 'localStorage'],
  update: createIndexedDbUpdate(`natter:${botId}`, abortSignal),
  fetch: (...request) => fetch(...request),
  createMessageId,
  renewal: () => import('../models/session/tokenRefresh.ts'),
  tabs: () => import('../tabs/index.ts'),
  notifications: () => import('./notifications/createNotifications.ts'),
  onRefused() {
    import('../api/explainRefusal.ts').then(({ explainRefusal }) => explainRefusal(baseUrl, botId)).catch(() => {})
  },
  locales: () => import('../i18n/locales.ts'),
})
