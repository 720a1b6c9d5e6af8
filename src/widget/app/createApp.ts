import { computed, effect, type ReadonlySignal } from '@preact/signals-core'
import type { Attributes, EndReason } from '../../contract/index.ts'
import { type Credentials, createApiClient } from '../api/apiClient.ts'
import { createBackoff } from '../api/backoff.ts'
import type { Strings } from '../i18n/en.ts'
import { formatCount } from '../i18n/formatCount.ts'
import type { Emitter, WidgetEvents } from '../loader/events.ts'
import { Conversation, type ConversationModel } from '../models/conversation/conversation.ts'
import type { Deps } from '../models/deps.ts'
import { Draft, type DraftModel } from '../models/draft.ts'
import { createPageContext } from '../models/pageContext.ts'
import { Panel, type PanelModel } from '../models/panel.ts'
import type { SessionCore, SessionModel } from '../models/session/sessionModel.ts'
import { isContactToken } from '../models/session/sessionState.ts'
import { SignIn, type SignInModel } from '../models/session/signIn.ts'
import { VisitorSession } from '../models/session/visitorSession.ts'
import { Sound, type SoundModel } from '../models/sound.ts'
import type { AppSettings } from './appSettings.ts'
import { createStores } from './createStores.ts'
import { createStrings } from './createStrings.ts'
import { createEnvironment, type Environment, type PageEvent } from './environment.ts'
import type { Notifications } from './notifications/createNotifications.ts'
import { createPageAuth, type PageAuth } from './pageAuth.ts'

export { finishLogout } from './finishLogout.ts'

/** What the panel renders from. */
export interface WidgetModels {
  session: SessionModel
  signIn: SignInModel
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

/** The widget without its view. `session.start()` is for the caller, who knows whether the page has logged in first. */
export interface App extends WidgetModels {
  session: SessionCore
  signIn: SignIn
  conversation: Conversation
  draft: Draft
  panel: Panel
  /** Replaces what goes with each message beside its text, for the organization alone. */
  setContext(context: Attributes): void
  auth: PageAuth
  /** Asks the site who is signed in, where there is a `tokenUrl`. Resolves when it is known; never rejects. */
  refreshSignIn(): Promise<void>
  /** Sends `text` as the visitor's message, puts `prefill` into the composer. */
  message(words: { text?: string; prefill?: string }): Promise<void>
  /** Speaks another language as soon as its texts are there; English when they can't be had. */
  setLocale(tags: string): void
  destroy(): void
}

/** Wires state, transport and storage. */
export function createApp(settings: AppSettings, given?: Environment): App {
  const { botId, baseUrl, locale, accent, persist = 'local', refreshToken, tokenUrl, titleBadge } = settings
  const { launcherParts, renderLauncher } = settings
  const end = new AbortController()
  const abortSignal = end.signal
  const environment = given ?? createEnvironment(settings, abortSignal)
  const { clock, page, storage, fetch, createMessageId, eventStream, tokenRefresh, locales } = environment
  const { isOriginRefused, onRefused } = environment
  const sound = new Sound(`natter:${botId}:sound`, storage)
  const emit: Emitter['emit'] = (event, detail) => {
    if (event === 'auth') pageAuth.handleAuth(detail as WidgetEvents['auth'])
    else settings.emit(event, detail)
    if (event === 'message' && sound.isOn.peek()) void notify('announceMessage')
  }
  const language = createStrings({ locales, clock, abortSignal, locale, ownStrings: settings.strings })
  const { strings, areStringsReady } = language
  const backoff = createBackoff(clock)
  function onEnded(credentials: Credentials, reason: EndReason): Promise<void> {
    // The bot may talk to contacts only from now on.
    if (reason === 'revoked' && !isContactToken(credentials.token)) void conversation.botProfile.reload()
    return session.handleEnded(credentials, reason)
  }
  const api = createApiClient({
    baseUrl,
    botId,
    fetch,
    eventStream,
    clock,
    backoff,
    onEnded,
    onReachabilityChange: isReachable => conversation.setReachable(isReachable),
  })
  const { identity, cache, anonymousSessions } = createStores(settings, environment)
  const deps: Deps = { api, backoff, cache, clock, page, emit, abortSignal }
  const context = createPageContext(settings.page, settings.context)
  const conversation: Conversation = new Conversation({
    ...deps,
    createMessageId,
    readContext: context.read,
    onEnded,
    onRefused,
    async acquireToken(scope, shouldStopRetrying) {
      if (!isContactToken(scope.token)) await signIn.whenFirstAnswered(scope.abortSignal)
      return session.acquireToken(scope, (failure, tries) => {
        // `login_required`: the bot talks to contacts only, which the profile didn't say yet.
        if (failure.status === 403) void conversation.botProfile.reload()
        return shouldStopRetrying(failure, tries)
      })
    },
    // A browser copies a tab's session with the tab: one of them would not hear of the other's logout.
    channelPrefix: `natter:${botId}:1:${persist === 'local' ? '' : createMessageId()}`,
    finishDraft: () => draft.finish(),
    retryRestore: () => session.retryRestore(),
    async joinTabs(participant) {
      const { coordinateTabs } = await environment.tabs()
      coordinateTabs(participant, { clock, page, cache, conversation, draft })
    },
  })
  const draft = new Draft({ ...deps, createMessageId, identity })
  const panel = new Panel(deps, () => {
    void conversation.botProfile.load()
    language.retry()
    void signIn.check()
  })
  const session: SessionCore = new VisitorSession({
    ...deps,
    tokenRefresh,
    isOriginRefused,
    lockName: `natter:${botId}:session`,
    refreshToken: tokenUrl ? undefined : refreshToken,
    onTokenExpired: tokenUrl ? token => signIn.handleExpired(token) : undefined,
    onStart() {
      // The panel is open where the page comes out of the back/forward cache.
      if (session.authState.peek() !== 'anonymous' || panel.isOpen.peek()) void signIn.check()
    },
    onIdentified: how => signIn.handleIdentified(how),
    identity,
    anonymousSessions,
    onScopeChange(scope, options) {
      conversation.reset(scope, options)
      draft.reset(scope, options)
    },
    onScopeReady(scope, state, stored) {
      conversation.restoreFromCache(scope, state, stored)
      draft.restoreFromCache(scope, stored.draft)
    },
    saveDraft: () => draft.save(),
    onRestoreFailed: () => conversation.messageStore.failToRestore(),
    onTokenChange: conversation.connect,
  })

  const signIn = new SignIn({
    tokenUrl,
    session,
    profile: conversation.botProfile.profile,
    emit,
    backoff,
    abortSignal,
    async loadSite(store) {
      const { SiteSignIn } = await environment.siteSignIn()
      const { isOpen: isPanelOpen } = panel
      return new SiteSignIn({ ...deps, fetch, tokenUrl: `${tokenUrl}`, botId, identity, session, isPanelOpen }, store)
    },
  })
  const pageAuth = createPageAuth({ session, isViewHidden: signIn.isViewHidden, emit: settings.emit, abortSignal })

  const stopFollowing = effect(() => {
    const state = signIn.isViewHidden.value ? 'identifying' : session.authState.value
    context.setVisitor(state, session.contact.value)
  })
  abortSignal.addEventListener('abort', stopFollowing)

  /** As many unread messages as the visitor may be told of. */
  const unread = computed(() => (signIn.isSilent.value ? 0 : conversation.readState.unread.value))
  let notifications: Notifications | undefined
  /** Fetched when there is something to tell. */
  async function notify(action: keyof Notifications) {
    try {
      const { createNotifications } = await environment.notifications()
      if (abortSignal.aborted) return
      notifications ||= createNotifications({
        clock,
        abortSignal,
        launcherParts,
        titleBadge,
        unread,
        isLeader: conversation.outbox.isLeader,
        isPanelOpen: panel.isOpen,
        strings,
      })
      notifications[action]()
    } catch {
      // Tried again with the next message. The launcher's accessible name says it, too.
    }
  }

  const conceal = () => signIn.conceal()
  const pageListeners: Record<PageEvent, () => void> = {
    storage() {
      session.reconcile()
      sound.refresh()
    },
    natter: session.reconcile,
    online: () => conversation.setOnline(true),
    offline: () => conversation.setOnline(false),
    pagehide() {
      session.suspend()
      conceal()
    },
    freeze: conceal,
    pageshow: session.resume,
    visibilitychange() {
      session.reconcile()
      signIn.handleVisibility()
      backoff.retryNow()
    },
  }
  // Not `for … in`, here and elsewhere: pages add to `Object.prototype`.
  for (const event of Object.keys(pageListeners) as PageEvent[]) {
    abortSignal.addEventListener('abort', page.on(event, pageListeners[event]))
  }

  const stopCounting = effect(() => {
    if (unread.value || notifications) void notify('showUnread')
  })
  // The launcher's name counts what is unread.
  const stopNaming = effect(() => {
    const { chat, chatUnread, panelFailed } = strings.value
    const count = panel.isOpen.value ? 0 : unread.value
    const name = count ? formatCount(chatUnread, count) : chat
    if (areStringsReady.value) renderLauncher({ texts: { chat: name, panelFailed } })
  })
  for (const stop of [stopCounting, stopNaming]) abortSignal.addEventListener('abort', stop)

  return {
    session,
    signIn,
    auth: pageAuth,
    refreshSignIn: () => signIn.refresh(),
    conversation,
    draft,
    panel,
    sound,
    strings,
    areStringsReady,
    setContext: context.set,
    setLocale: language.setLocale,
    accent,
    async message({ text = '', prefill = '' }) {
      // Else it would be said in the name of whoever was here before.
      if (tokenUrl) await signIn.whenKnown()
      if (abortSignal.aborted) return
      const isLong = [...`${text}`.trim()].length > conversation.outbox.maxLength
      if (text && !isLong) conversation.outbox.send(`${text}`)
      // The composer shows that a text is too long.
      const unsent = isLong ? text : prefill
      if (unsent) draft.setText(`${unsent}`)
    },
    destroy() {
      draft.save()
      end.abort('Natter was destroyed')
    },
  }
}
