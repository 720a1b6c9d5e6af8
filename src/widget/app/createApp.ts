import { computed, effect, type ReadonlySignal } from '@preact/signals-core'
import type { EndReason } from '../../contract/index.ts'
import { type Credentials, createApiClient } from '../api/apiClient.ts'
import { createBackoff } from '../api/backoff.ts'
import { withRetries } from '../async/withRetries.ts'
import { Conversation, type ConversationModel } from '../conversation/conversation.ts'
import type { Deps } from '../conversation/deps.ts'
import { Draft, type DraftModel } from '../conversation/draft.ts'
import { createPageContext } from '../conversation/pageContext.ts'
import { Panel, type PanelModel } from '../conversation/panel.ts'
import { Sound, type SoundModel } from '../conversation/sound.ts'
import type { PageEvent } from '../environment/page.ts'
import { formatCount, type Strings } from '../i18n/en.ts'
import { createIdentityStore } from '../identity/identityStore.ts'
import { SignIn, type SignInModel } from '../identity/signIn.ts'
import { isContactToken, storageKey } from '../identity/storedIdentity.ts'
import { type SessionDeps, type SessionModel, VisitorSession } from '../identity/visitorSession.ts'
import type { Emitter } from '../loader/events.ts'
import type { Notifications } from '../notifications/createNotifications.ts'
import { createRecords } from '../store/records.ts'
import { createTabEntries, updateEntries } from '../store/tabEntries.ts'
import type { AppSettings } from './appSettings.ts'
import { createStrings } from './createStrings.ts'
import { createEnvironment, type Environment } from './environment.ts'
import { createPageEvents } from './pageEvents.ts'
import { createPageMessages } from './pageMessages.ts'

/** The models that the panel renders. */
export interface WidgetModels {
  session: SessionModel
  signIn: SignInModel
  conversation: ConversationModel
  draft: DraftModel
  panel: PanelModel
  sound: SoundModel
  /** The texts of the current language. */
  strings: ReadonlySignal<Strings>
  /** Whether the panel can be shown: the first texts are loaded, or waiting for them has taken too long. */
  areStringsReady: ReadonlySignal<boolean>
  /** The site's `#rrggbb`. If it is missing, the bot's own accent is used. */
  accent: string | undefined
}

/** The widget without its view. */
export type App = ReturnType<typeof createApp>

/**
 * Creates the models, the API client and the stores, and connects them. The caller calls `session.start()`, unless the page has
 * logged in first.
 */
export function createApp(settings: AppSettings, given?: Environment) {
  const { botId, baseUrl, locale, accent, persist = 'local', refreshToken, tokenUrl, titleBadge, preview } = settings
  const { launcherParts, renderLauncher, report } = settings
  const end = new AbortController()
  const abortSignal = end.signal
  const environment = given ?? createEnvironment(settings, abortSignal)
  const { clock, page, storage, fetch, createId, site, locales } = environment
  const { isOriginRefused, onRefused } = environment
  const emit: Emitter['emit'] = (event, detail) => pageEvents.emit(event, detail)
  const language = createStrings({ locales, clock, abortSignal, locale, ownStrings: settings.strings })
  const { strings, areStringsReady } = language
  const backoff = createBackoff(clock)
  function onEnded(credentials: Credentials, reason: EndReason): Promise<void> {
    // A revoked anonymous session may mean that the bot now talks to contacts only.
    if (reason === 'revoked' && !isContactToken(credentials.token)) void conversation.botProfile.reload()
    return session.handleEnded(credentials, reason)
  }
  const api = createApiClient({
    baseUrl,
    botId,
    fetch,
    clock,
    backoff,
    readLocale: () => (areStringsReady.peek() ? strings.peek().lang : undefined),
    onEnded,
    onReachable: isReachable => conversation.setReachable(isReachable),
  })
  const entries = createTabEntries(storage, storageKey(botId, 'identity'))
  const sound = new Sound(`natter:${botId}:sound`, entries)
  const identity = createIdentityStore({ botId, clock, createId, entries, notifySameWindow: page.notifySameWindow })
  const records = createRecords({
    // All tabs share what is stored if `persist` is `local`; otherwise each tab has its own.
    update: persist === 'local' ? environment.update : updateEntries(botId, entries),
    clock,
    identity,
    onOvertaken: (...epochs) => void session.handleOvertaken(...epochs),
  })
  const deps: Deps = { api, backoff, records, clock, page, emit, abortSignal }
  const context = createPageContext(settings.page, settings.context)
  const conversation: Conversation = new Conversation({
    ...deps,
    createId,
    readContext: context.read,
    onEnded,
    onRefused,
    canWrite: computed(() => signIn.canWrite.value),
    canSend: computed(() => signIn.canSend.value),
    noteSent: () => signIn.noteSent(),
    setWorkPending: identity.setWorkPending,
    attachments: environment.attachments,
    async acquireToken(scope, shouldStopRetrying) {
      await signIn.untilCanSend(scope.abortSignal)
      if (scope.abortSignal.aborted) return null
      return session.acquireToken(scope, (failure, tries) => {
        // `login_required`: the bot talks to contacts only since the profile was loaded.
        if (failure.status === 403) void conversation.botProfile.reload()
        return shouldStopRetrying(failure, tries)
      })
    },
    // Duplicating a tab copies its sessionStorage. The copies must not share a channel: neither hears of the other's logout.
    sharedPrefix: `natter:${botId}:4:${persist === 'local' ? '' : createId()}`,
    stream: environment.stream,
    finishDraft: () => draft.finish(),
    retryRestore: () => session.retryRestore(),
  })
  /** Somebody else may be the visitor from now on. */
  const dropPageMessages = () => pageMessages.clear()
  const draft = new Draft({ ...deps, identity, canWrite: computed(() => signIn.canWrite.value) })
  const panel = new Panel(deps, () => {
    void conversation.botProfile.load()
    language.retry()
    void signIn.check()
  })
  let renewToken: SessionDeps['renewToken']
  if (tokenUrl) renewToken = () => void signIn.askSite(site => site.handleExpired())
  else if (refreshToken) {
    renewToken = async (expired, abortSignal) => {
      const chunk = await withRetries(site, { backoff, abortSignal })
      await chunk?.renewToken({ ...deps, identity, session, botId, refreshToken }, expired, abortSignal)
    }
  }
  const session: VisitorSession = new VisitorSession({
    ...deps,
    isOriginRefused,
    lockName: `natter:${botId}:session`,
    renewToken,
    onStart() {
      // The panel may be open already: the session also starts when the page returns from the back/forward cache.
      if (session.authState.peek() !== 'anonymous' || panel.isOpen.peek()) void signIn.check()
    },
    onIdentified: how => void signIn.askSite(site => site.handleIdentified(how)),
    // With `memory` the site has chosen that nothing is stored. The browser has blocked nothing, so visitors need no notice.
    identity: { ...identity, isBlocked: () => persist !== 'memory' && identity.isBlocked() },
    onScopeChange(scope, options) {
      if (!options.keepUnsent && !options.keepPageMessages) dropPageMessages()
      conversation.reset(scope, options)
      draft.reset(scope, options)
    },
    onScopeReady(scope, state, stored) {
      conversation.restoreFromCache(scope, state, stored)
      draft.show(scope.owner ?? '')
    },
    carryDraft: () => draft.carry(),
    onRestoreFailed: () => conversation.messageStore.fail(),
    onTokenChange: conversation.connect,
  })

  const signIn = new SignIn({
    tokenUrl,
    session,
    profile: conversation.botProfile.profile,
    emit,
    clock,
    page,
    backoff,
    abortSignal,
    onRefresh: dropPageMessages,
    async loadSite(store) {
      const { SiteSignIn } = await site()
      const { isOpen: isPanelOpen } = panel
      return new SiteSignIn(
        { ...deps, fetch, tokenUrl: `${tokenUrl}`, botId, identity, session, isPanelOpen, onAway: dropPageMessages },
        store,
      )
    },
  })

  const pageMessages = createPageMessages({ signIn, outbox: conversation.outbox, draft, abortSignal })
  /** The number of unread messages, or 0 while it must not be shown. */
  const unread = computed(() => (signIn.isSilent.value ? 0 : conversation.readState.unread.value))
  const pageEvents = createPageEvents({
    session,
    signIn,
    messageStore: conversation.messageStore,
    unread,
    emit: settings.emit,
    async onMessage() {
      if (sound.isOn.peek()) (await loadNotifications())?.announceMessage()
    },
    abortSignal,
  })

  /** They are loaded on first use, because most page views never need them. */
  let notifications: Notifications | undefined
  async function loadNotifications(): Promise<Notifications | undefined> {
    try {
      const { createNotifications } = await environment.notifications()
      if (abortSignal.aborted) return undefined
      notifications ??= createNotifications({
        clock,
        page,
        abortSignal,
        launcherParts,
        titleBadge,
        preview,
        conversation,
        unread,
        isViewHidden: signIn.isViewHidden,
        isPanelOpen: panel.isOpen,
        strings,
      })
      return notifications
    } catch {
      // The next message tries again. Until then the launcher's accessible name still contains the number.
      return undefined
    }
  }

  const conceal = () => void signIn.withSite(site => site.conceal())
  const pageListeners: Record<PageEvent, () => void> = {
    storage() {
      session.followStorage()
      sound.refresh()
    },
    'natter:auth': session.followStorage,
    online: () => conversation.setOnline(true),
    offline: () => conversation.setOnline(false),
    pagehide() {
      conversation.outbox.sendBeforeLeaving()
      session.suspend()
      conceal()
    },
    freeze: conceal,
    pageshow: session.resume,
    visibilitychange() {
      session.followStorage()
      void signIn.withSite(site => site.handleVisibility())
      backoff.retryNow()
    },
  }
  const stops = [
    // Not `for … in`, because some pages extend `Object.prototype`.
    ...(Object.keys(pageListeners) as PageEvent[]).map(event => page.on(event, pageListeners[event])),
    effect(() => {
      const state = signIn.isViewHidden.value ? 'identifying' : session.authState.value
      context.setVisitor(state, session.contact.value)
    }),
    effect(() => {
      if (unread.value) void loadNotifications()
    }),
    // The launcher's accessible name contains the number of unread messages.
    effect(() => {
      const { chat, chatUnread, panelFailed } = strings.value
      const count = panel.isOpen.value ? 0 : unread.value
      const name = count ? formatCount(chatUnread, count) : chat
      if (areStringsReady.value) renderLauncher({ texts: { chat: name, panelFailed } })
    }),
  ]
  abortSignal.addEventListener('abort', () => {
    for (const stop of stops) stop()
  })

  return {
    session,
    signIn,
    /** What the page may see of the session. */
    auth: pageEvents,
    /** Asks the site at `tokenUrl` who is signed in. Resolves when that is known; never rejects. */
    refreshSignIn(): Promise<void> {
      if (!tokenUrl) report('`auth.refresh()` does nothing without the option `tokenUrl`')
      return signIn.refresh()
    },
    conversation,
    draft,
    panel,
    sound,
    strings,
    areStringsReady,
    setContext: context.set,
    setLocale: language.setLocale,
    accent,
    message: pageMessages.add,
    destroy(): void {
      draft.save()
      conversation.outbox.sendBeforeLeaving()
      end.abort('Natter was destroyed')
    },
  } satisfies WidgetModels & Record<string, unknown>
}

/**
 * Completes a logout that the loader began without the core: erases the visitor's stored data and revokes their tokens. It
 * does not end a session that another tab has begun since. Resolves to the tokens for which the platform could not be reached.
 */
export async function finishLogout(
  settings: Pick<AppSettings, 'botId' | 'baseUrl' | 'persist'>,
  tokens: readonly (string | null)[],
  given?: Environment,
): Promise<string[]> {
  const app = createApp({ ...settings, locale: 'en', emit() {}, renderLauncher() {}, report() {} }, given)
  const missed = await app.session.finishLogout(tokens)
  app.destroy()
  return missed
}
