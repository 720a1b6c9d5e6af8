import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { EndReason } from '../contract/index.ts'
import type { createAttention } from './attention/index.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Emitter } from './events.ts'
import type { WidgetOptions } from './options.ts'
import { createPage, type Page, type PageSignal } from './page.ts'
import { type ConversationCore, type ConversationModel, createConversation } from './state/conversation.ts'
import { maxLength } from './state/outbox.ts'
import { createPanel, type PanelCore, type PanelModel } from './state/panel.ts'
import { createSession } from './state/session.ts'
import type { SessionCore, SessionDoors, SessionModel } from './state/sessionModel.ts'
import { createSound } from './state/sound.ts'
import { createCache, createIndexedDbUpdate, type Update } from './storage/cache.ts'
import { createIdentityStore } from './storage/identity.ts'
import { en, type OwnStrings, type Strings } from './strings/en.ts'
import type { textsIn } from './strings/locales.ts'
import type { follow } from './tabs/index.ts'
import { createMessageId } from './transport/messageId.ts'
import { createPatience } from './transport/patience.ts'
import { type Bearer, createWire } from './transport/wire.ts'

/** What the panel draws from. */
export interface Models {
  session: SessionModel
  conversation: ConversationModel
  panel: PanelModel
  /** The texts of the language spoken now: to be read anew at every drawing. */
  readonly strings: Strings
  /** Its texts are there, or have had their time: the panel can be drawn. */
  worded: ReadonlySignal<boolean>
  /** `#rrggbb` that the site set; without it the bot's own counts. */
  accent: string | undefined
}

export interface CoreSettings extends Pick<WidgetOptions, 'botId' | 'persist' | 'refreshToken' | 'titleBadge'> {
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
export interface World {
  clock: Clock
  page: Page
  storage: () => Storage
  update: Update
  fetch: typeof fetch
  createMessageId(): string
  renewal: SessionDoors['renewal']
  /** Fetches what makes the tabs of an origin agree. */
  tabs(): Promise<{ follow: typeof follow }>
  /** Fetches what tells of unread messages beside the launcher. */
  attention(): Promise<{ createAttention: typeof createAttention }>
  /** Finds out whether the platform refuses this page, and if so tells the site's owner. */
  onRefused(): void
  /** Fetches what knows the languages other than English. */
  locales(): Promise<{ textsIn: typeof textsIn }>
}

/** The widget without its view. `session.start()` is for the caller, who knows whether the page has logged in first. */
export interface Core extends Models {
  session: SessionCore
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
export function createCore(settings: CoreSettings, given?: World): Core {
  const { botId, accent, refreshToken, titleBadge, persist = 'local', strings, show } = settings
  const end = new AbortController()
  const over = end.signal
  const world = given ?? createWorld(settings, over)
  const { clock, page } = world
  const sound = createSound(`natter:${botId}:sound`, world.storage)
  const emit: Emitter['emit'] = (event, detail) => {
    settings.emit(event, detail)
    // As an attribute it may have no value at all.
    if (event === 'unread' && /^(true)?$/.test(`${titleBadge}`)) void attend(event)
    if (event === 'message' && sound.isOn()) void attend(event)
  }
  const patience = createPatience(clock)
  const onEnded = (bearer: Bearer, reason: EndReason) => session.end(bearer, reason)
  const wire = createWire({ ...settings, ...world, patience, onEnded })
  const identity = createIdentityStore(botId, clock, world.storage, page.announce)
  const shared = persist === 'local'
  const cache = createCache(shared ? world.update : identity.update, clock)
  const doors = { ...world, emit, over, patience, wire, cache, onEnded }
  const conversation: ConversationCore = createConversation({
    ...doors,
    bearer: (scope, giveUp) => session.bearer(scope, giveUp),
    // A browser copies a tab's session with the tab: one of them would not hear of the other's logout.
    seatName: `natter:${botId}:1:${shared ? '' : world.createMessageId()}`,
    join: async seat => (await world.tabs()).follow(seat, { ...doors, conversation, panel }),
  })
  const panel = createPanel(doors, sound, () => {
    conversation.retryBot()
    // What could not be fetched is tried again.
    void setLocale(wanted)
  })
  const session: SessionCore = createSession({
    ...doors,
    lockName: `natter:${botId}:session`,
    refreshToken,
    identity,
    onBegin(scope) {
      conversation.begin(scope)
      panel.begin(scope)
    },
    onEnter(scope, state, stored) {
      conversation.enter(scope, state, stored)
      panel.enter(scope, stored.draft)
    },
    onBearer: conversation.join,
  })

  let attention: ReturnType<typeof createAttention> | undefined
  /** Sound and title, which few want, come when there is something to tell. */
  async function attend(event: 'message' | 'unread') {
    try {
      const { createAttention } = await world.attention()
      attention ||= createAttention({ ...doors, conversation, panel })
      attention[event]()
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
      patience.wake()
    },
  }
  // Not `for … in`, here and elsewhere: pages add to `Object.prototype`.
  for (const signal of Object.keys(reactions) as PageSignal[]) {
    over.addEventListener('abort', page.on(signal, reactions[signal]))
  }

  const texts = signal<Strings>({ ...en, ...strings })
  const worded = signal(false)
  let wanted = settings.locale
  async function setLocale(tags: string) {
    wanted = tags
    const spoken = /^en\b/i.test(tags)
      ? { lang: tags.split(',')[0] as string }
      : await world
          .locales()
          .then(({ textsIn }) => textsIn(tags))
          .catch(() => ({}))
    // An earlier answer may come later.
    if (wanted !== tags) return
    texts.value = { ...en, ...spoken, ...strings }
    worded.value = true
    show({ texts: texts.value })
  }
  void setLocale(wanted)
  over.addEventListener(
    'abort',
    clock.after(patienceMs, () => {
      worded.value = true
    }),
  )

  return {
    session,
    conversation,
    panel,
    get strings() {
      return texts.value
    },
    worded,
    setLocale,
    accent,
    message({ text = '', prefill = '' }) {
      const isLong = [...`${text}`.trim()].length > maxLength
      if (text && !isLong) conversation.send(`${text}`)
      // What can't be sent stands where the visitor sees why.
      const draft = isLong ? text : prefill
      if (draft) panel.setDraft(`${draft}`)
    },
    destroy: () => end.abort(),
  }
}

/** The browser as it is. */
const createWorld = ({ baseUrl, botId, persist = 'local' }: CoreSettings, over: AbortSignal): World => ({
  clock: systemClock,
  page: createPage(),
  // There is no `memoryStorage`: using it fails, and what storage refuses is kept in memory.
  storage: () => window[`${persist}Storage` as 'localStorage'],
  update: createIndexedDbUpdate(`natter:${botId}`, over),
  fetch: (...request) => fetch(...request),
  createMessageId,
  renewal: () => import('./state/renewal.ts'),
  tabs: () => import('./tabs/index.ts'),
  attention: () => import('./attention/index.ts'),
  onRefused() {
    import('./transport/refusal.ts').then(({ explainRefusal }) => explainRefusal(baseUrl, botId)).catch(() => {})
  },
  locales: () => import('./strings/locales.ts'),
})
