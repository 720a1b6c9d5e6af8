import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { ConversationState, EndReason, Session } from '../../contract/index.ts'
import type { Credentials, StopCondition } from '../api/apiClient.ts'
import { delay, untilAborted, withTimeout } from '../async/timing.ts'
import { untilTrue } from '../async/untilTrue.ts'
import { withLockInTime } from '../async/withLockInTime.ts'
import type { Deps } from '../conversation/deps.ts'
import {
  type AuthReason,
  type AuthState,
  type CurrentContact,
  type WidgetErrorCode,
  widgetError,
} from '../loader/events.ts'
import type { RecordsMeta } from '../store/guards.ts'
import type { OpenedRecords } from '../store/records.ts'
import { storageDelayMs, storagePollMs } from '../store/storageDelays.ts'
import { setState, updateState } from '../updateState.ts'
import type { IdentityStore } from './identityStore.ts'
import {
  authReasonOf,
  authStateOf,
  endReasonOf,
  isEndedOnPurpose,
  isVisitorContinued,
  keepsUnsent,
  reconcile,
  type SessionState,
  type SessionStatus,
  statusOf,
  type Transition,
  transitionOnStart,
  type UnwantedEnd,
} from './reconcile.ts'
import { revokeToken, revokeTokens } from './revokeTokens.ts'
import { type KeepOptions, SessionScope } from './sessionScope.ts'
import { type EpochReason, isContactToken, isToken, noIdentity, type StoredIdentity } from './storedIdentity.ts'

export type { SessionStatus }

/** The session's dependencies and callbacks. */
export interface SessionDeps extends Deps {
  /** The name of the lock that a tab holds while it logs in. */
  lockName: string
  identity: IdentityStore
  /** Renews a contact's expired token, or ends the session. `scopeSignal` aborts when the scope ends. */
  renewToken?: ((expired: string, scopeSignal: AbortSignal) => void) | undefined
  /** The session has begun with what is stored, which is shown as soon as the platform has said whose it is. */
  onStart(): void
  /** Called when the platform has identified the contact, before the `auth` event. */
  onIdentified(how: { isOwnLogin: boolean }): void
  /** Asks the platform whether it refuses pages of this origin. Never rejects. */
  isOriginRefused(): Promise<boolean>
  /** Called when the identity changes. Has to clear everything of the former one at once, except what `options` keeps. */
  onScopeChange(scope: SessionScope, options: KeepOptions): void
  /** Called when the identity is known and its stored data may be shown. `state` is `null` without a token. */
  onScopeReady(scope: SessionScope, state: ConversationState | null, stored: OpenedRecords): void
  /** Keeps the draft of an epoch that a login is about to end, because the same contact may continue in the next one. */
  carryDraft(): void
  /**
   * Called when the stored session can't be restored: the platform's answer is an error that retrying doesn't solve, and that
   * doesn't end the session.
   */
  onRestoreFailed(): void
  /** Called when the scope's token changes: an anonymous session was created, or a contact's token was renewed. */
  onTokenChange(scope: SessionScope): void
}

/** The visitor's identity as the view uses it. */
export type SessionModel = Pick<
  VisitorSession,
  | 'status'
  | 'authState'
  | 'contact'
  | 'endReason'
  | 'isStorageBlocked'
  | 'scopeKey'
  | 'login'
  | 'logout'
  | 'dismissEndReason'
>

interface ScopeChange extends Partial<KeepOptions> {
  /** Why the previous session ended, for the visitor. If it is missing, the last reason stays. */
  ended?: UnwantedEnd | null
}

/** For how long a logout tries to reach the platform. With the wait after the last attempt these are ten minutes. */
const revocationMs = 570_000
const loginTimeoutMs = 10_000
/** Longer than a login takes. Without locks, only time shows that the page of a login has gone. */
const remoteLoginTimeoutMs = loginTimeoutMs + 2000

const loginError = (code: WidgetErrorCode) => widgetError(code, `Natter's login failed: ${code}`)

/**
 * Manages the visitor's identity: holds the state, performs the transitions that `reconcile` decides on, logins, logouts and
 * restores. No other model changes who the visitor is.
 */
export class VisitorSession {
  readonly #deps: SessionDeps
  readonly #state = signal<SessionState>({ kind: 'inactive' })
  readonly #endReason = signal<UnwantedEnd | null>(null)
  readonly #isStorageBlocked: Signal<boolean>
  #scope = new SessionScope(noIdentity)
  /** The state and the contact's id of the last `auth` event. */
  #lastEmitted = 'anonymous'

  readonly status: ReadonlySignal<SessionStatus> = computed(() => statusOf(this.#state.value))
  /** The state that the page sees. It is `anonymous` for an anonymous session that is still being restored. */
  readonly authState: ReadonlySignal<AuthState> = computed(() => authStateOf(this.#state.value))
  readonly contact: ReadonlySignal<CurrentContact | null> = computed(() => contactOf(this.#state.value))
  readonly endReason: ReadonlySignal<UnwantedEnd | null> = this.#endReason
  /** Whether the browser has refused to store the identity, so that the session doesn't survive a reload. */
  readonly isStorageBlocked: ReadonlySignal<boolean>
  /** Differs for each session scope. As a `key` it discards what browsers keep for an element, such as undo and scroll. */
  readonly scopeKey: ReadonlySignal<string> = computed(() => scopeOf(this.#state.value)?.key ?? '')
  /** Whether the identity is known and IndexedDB has accepted the epoch, so that no older login can turn up any more. */
  readonly isReady: ReadonlySignal<boolean> = computed(() => scopeOf(this.#state.value)?.isReady.value ?? false)
  /** Whether the platform has refused the contact's token as expired, and there is no other one yet. */
  readonly isExpired: ReadonlySignal<boolean> = computed(() => scopeOf(this.#state.value)?.isExpired.value ?? false)

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#isStorageBlocked = signal(deps.identity.isBlocked())
    this.isStorageBlocked = this.#isStorageBlocked
    deps.abortSignal.addEventListener('abort', () => {
      this.#scope.end('Natter was destroyed')
      updateState(() => {
        this.#state.value = { kind: 'inactive' }
      })
    })
  }

  /** Returns the current token. */
  token(): string | null {
    return this.#scope.token
  }

  // ---- Calls by the page and the visitor

  /**
   * Logs in with a contact's token. Rejects with a `WidgetError` on failure. `verified` is the platform's answer about the token,
   * if it was asked just before. It is then not asked again.
   */
  async login(credentials: { token: string }, verified?: Session): Promise<{ contact: CurrentContact | null }> {
    const { api, identity, records, page, lockName } = this.#deps
    const token = credentials?.token
    // Pages call `login` on every load, maybe before the stored session was read, or after another tab has changed it.
    if (token && this.#isIn('inactive', 'suspended') && token === identity.read().token) this.start()
    else this.followStorage()
    if (token && token === this.#scope.token && !this.#isIn('inactive', 'suspended', 'restoreFailed')) {
      await this.#awaitCurrentLogin()
      return { contact: this.contact.peek() }
    }
    const reason = this.contact.peek() ? 'replaced' : 'login'
    const before = identity.read()
    this.#deps.carryDraft()
    const keepPageMessages = verified !== undefined && this.authState.peek() === 'anonymous'
    const stored = identity.beginEpoch('login')
    const scope = this.#changeScope('identifying', stored, { keepPageMessages, ended: null })
    // Other tabs wait for this login as long as this tab holds the lock. Request it, and store a verified token, before the
    // page's listeners run: while these keep the page busy, other tabs would take the login for failed. The lock is granted in a
    // later task, when `settled` is the verification below.
    void page.withLock(lockName, scope.abortSignal, () => scope.settled)
    if (verified) identity.writeToken(scope.epoch, token)
    // Not a contact's, which is the site's: it may log in with it again.
    const replaced = isContactToken(before.token) ? null : before.token
    void revokeTokens(api, [replaced], records.move(scope.epoch, before.epoch))
    // The page's listener may call `login` or `logout` at once, which ends this scope.
    this.#emitAuthChange(reason)
    const verification = this.#verifyLogin(scope, token, reason, verified)
    scope.settled = verification.catch(() => {})
    await verification
    return { contact: this.contact.peek() }
  }

  logout = (): Promise<void> => this.#logOut('logout')

  /** Goes on with another token of the same contact, about which the platform has given the answer `verified`. */
  async continueWith(token: string, verified: Session): Promise<void> {
    const { identity } = this.#deps
    const scope = this.#scope
    if (this.#isIn('identified')) token !== scope.token && this.#setToken(scope, token)
    else if (identity.writeToken(scope.epoch, token)) await this.#restoreSession(identity.read(), 'restored', verified)
  }

  /** Logs out because nobody is signed in at the site. Unlike after `logout`, the site may be asked again. */
  endBySite = (): void => void this.#logOut('signed_out')

  /** Tries again to restore the stored session after the platform has refused. */
  retryRestore(): void {
    if (this.#isIn('restoreFailed')) void this.#restoreSession(this.#scope, 'restored')
  }

  dismissEndReason = (): void => setState(this.#endReason, null)

  /**
   * Completes a logout that the loader began without the core, in an app that has not started: erases what is stored, and
   * revokes `tokens`. It does not end a session that another tab has begun since. Resolves to the tokens for which the platform
   * could not be reached.
   */
  async finishLogout(tokens: readonly (string | null)[]): Promise<string[]> {
    const { api, identity, abortSignal } = this.#deps
    const stored = identity.read()
    // Another tab may have logged in since then.
    const isLoggedOut = transitionOnStart(stored).do === 'becomeAnonymous'
    const missed: string[] = []
    const erased = isLoggedOut ? this.#becomeAnonymous(stored) : undefined
    // The page may have logged in with one of them again.
    const ended = tokens.filter(token => token !== stored.token)
    await revokeTokens(api, ended, erased, token => void missed.push(token))
    // If IndexedDB has a later epoch, only the scope after the first one erases it.
    if (isLoggedOut) await untilTrue(this.isReady, abortSignal)
    return missed
  }

  #logOut(reason: 'logout' | 'signed_out'): Promise<void> {
    const { api, identity, clock } = this.#deps
    // Not the token of a login that is being verified: nothing was shown with it, and the page may log in with it again.
    const tokens = [this.#scope.token, identity.read().token]
    // First, so that the browser is cleared even if the platform can't be reached.
    const erased = this.beginAnonymousEpoch(reason)
    // Kept in memory until the scope ends: with another epoch, an emptied storage, `pagehide` or `destroy()`.
    const { abortSignal } = this.#scope
    const deadline = clock.now() + revocationMs
    return revokeTokens(api, tokens, erased, token => {
      void api.revokeSession({ token, abortSignal }, ({ transient }) => !transient || clock.now() > deadline)
    })
  }

  // ---- The lifecycle of the page

  /** Restores the stored session, on page load and when the page returns from the back/forward cache. */
  start(): void {
    // The panel may have been opening while the page destroyed the widget.
    if (this.#deps.abortSignal.aborted) return
    this.#perform(transitionOnStart(this.#deps.identity.read()))
    this.#deps.onStart()
  }

  /** Hides everything before the page enters the back/forward cache, because somebody else may return to it. */
  suspend(): void {
    // A login in progress shows nobody's data, and the page waits for its result.
    if (this.#isIn('inactive', 'suspended', 'identifying')) return
    this.#changeScope('suspended', this.#scope)
  }

  resume = (): void => {
    // A login that was not suspended may have ended, or another tab may have logged out.
    if (this.#isIn('suspended')) this.start()
    else this.followStorage()
  }

  // ---- Stored identity

  followStorage = (): void => this.#perform(reconcile(this.#state.peek(), this.#deps.identity.read()))

  #perform(transition: Transition): void {
    switch (transition.do) {
      case 'nothing':
        break
      case 'beginFirstEpoch':
        this.#beginFirstEpoch(transition.keepUnsent)
        break
      case 'adoptToken':
        // Connecting before the cached data is open would report messages twice. `#openAnonymous` compares again.
        if (this.#scope.isReady.peek()) this.#setToken(this.#scope, transition.token)
        break
      case 'restore':
        void this.#restoreSession(transition.stored, transition.reason)
        break
      case 'awaitRemoteLogin':
        this.#awaitRemoteLogin(transition.stored, transition.reason)
        break
      case 'becomeAnonymous':
        this.#followAnonymousEpoch(transition)
        break
      case 'beginAnonymousEpoch':
        void this.beginAnonymousEpoch(transition.reason, { keepUnsent: transition.keepUnsent })
        break
      default:
        transition satisfies never
    }
  }

  /** Follows another tab that has begun an epoch without a login. */
  #followAnonymousEpoch({ stored, reason, keepUnsent }: Extract<Transition, { do: 'becomeAnonymous' }>): void {
    const erasedToken = this.#becomeAnonymous(stored, reason, keepUnsent)
    if (['logout', 'signed_out', 'login_failed'].includes(reason)) void revokeTokens(this.#deps.api, [], erasedToken)
  }

  // ---- Anonymous

  /** Agrees with the other tabs on the first epoch, because storage holds none. */
  #beginFirstEpoch(keepUnsent: boolean): void {
    const scope = this.#changeScope('anonymous', noIdentity, { keepUnsent, ended: null })
    // A contact's page may return from the back/forward cache after storage was emptied.
    this.#emitAuthChange('logout')
    const { clock, identity, records } = this.#deps
    const agree = async () => {
      while (!scope.epoch) {
        const first = await records.beginFirst()
        if (!first) await delay(clock, storagePollMs)
        this.followStorage()
        if (scope.abortSignal.aborted) return
        if (first) scope.epoch = identity.beginEpoch('storage_reset', first).epoch
      }
      void this.#openAnonymous(scope)
    }
    scope.settled = agree()
  }

  #becomeAnonymous(stored: StoredIdentity, reason = stored.reason, keepUnsent = false): Promise<string | null> {
    const change = { keepUnsent, ended: endReasonOf(reason) }
    const scope = this.#changeScope('anonymous', { ...stored, token: null }, change)
    this.#emitAuthChange(authReasonOf(reason))
    return this.#openAnonymous(scope)
  }

  /** Erases the data of other epochs, and shows the data that another tab has stored in this one. */
  async #openAnonymous(scope: SessionScope): Promise<string | null> {
    const opened = await this.#open(scope, '')
    if (!opened || scope.abortSignal.aborted) return opened?.erasedToken ?? null
    // Otherwise the next page load tries again.
    if (opened.isClean) this.#deps.identity.clearWorkPending(scope.epoch)
    this.#update(() => {
      scope.markReady()
      this.#deps.onScopeReady(scope, null, opened)
    })
    // Another tab may have created the session and stored its token already.
    this.followStorage()
    return opened.erasedToken
  }

  /** Opens the stored data of the scope's owner. Resolves to `undefined` when a later epoch has ended the scope. */
  async #open(scope: SessionScope, owner: string): Promise<OpenedRecords | undefined> {
    scope.owner = owner
    const opened = await this.#deps.records.takeOver(scope)
    if (!opened) await untilAborted(scope.abortSignal)
    // This tab may have been frozen and have missed a change by another tab.
    if (!scope.abortSignal.aborted) this.followStorage()
    return opened
  }

  /**
   * IndexedDB has the epoch `later`, and localStorage shows `epoch`. Waits until it shows `later`. If it doesn't in time, a late
   * write or a crash of the browser has restored `epoch`, or `later` is from before the page emptied storage. Then an epoch
   * begins that is later than both. What this tab holds stays as if localStorage had shown `later`.
   */
  async handleOvertaken(epoch: string, later: RecordsMeta): Promise<void> {
    const { clock } = this.#deps
    const scope = this.#scope
    if (scope.epoch !== epoch || scope.isOvertaken) return
    scope.isOvertaken = true
    const { abortSignal } = scope
    // Counted, because the clock may be set back meanwhile.
    for (let waitedMs = 0; waitedMs < storageDelayMs && !abortSignal.aborted; waitedMs += storagePollMs) {
      await delay(clock, storagePollMs)
      if (!abortSignal.aborted) this.followStorage()
    }
    if (abortSignal.aborted) return
    const keepUnsent = isVisitorContinued(this.#state.peek(), later)
    const reason = [scope.reason, later.reason].some(isEndedOnPurpose) ? 'logout' : 'signed_out'
    const erased = this.beginAnonymousEpoch(keepUnsent ? scope.reason : reason, { keepUnsent, after: later.epoch })
    void revokeTokens(this.#deps.api, [], erased)
  }

  /**
   * Begins an epoch in which all tabs are anonymous, later than `after`, an epoch in IndexedDB. `keepUnsent`: an anonymous visitor
   * goes on, with what they have written in this page and not sent. Resolves to the token of an anonymous session that was erased
   * from storage, or `null`.
   */
  beginAnonymousEpoch(
    reason: EpochReason,
    { keepUnsent = false, after }: { keepUnsent?: boolean; after?: string } = {},
  ): Promise<string | null> {
    const { identity } = this.#deps
    const next = keepUnsent ? identity.continueEpoch(this.#scope.epoch, after) : identity.newEpoch(reason, after)
    return this.#becomeAnonymous(identity.beginEpoch(reason, next), reason, keepUnsent)
  }

  /**
   * Returns the scope's token. If it has none, creates the anonymous session first: the lock lets one tab do that, and IndexedDB
   * decides whose counts if two do. Returns `null` if the session can't be created now.
   */
  async acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null> {
    await scope.settled
    const { api, records, lockName } = this.#deps
    /** Whether the scope still needs a token. */
    const isWanted = () => {
      // Another tab may have logged in or out. Text of one person must not be sent with the token of another.
      this.followStorage()
      return !scope.abortSignal.aborted && !scope.token
    }
    /** Resolves to the token that all tabs use, if there is one now. */
    const create = async () => {
      const existing = await records.claimToken(scope, '')
      if (existing !== '' || !isWanted()) return existing
      const created = await api.createVisitorSession(scope, shouldStopRetrying)
      if (!created) return undefined
      const counting = await records.claimToken(scope, created.token)
      // Another tab was faster, or somebody has logged in or out.
      if (counting !== created.token) void revokeToken(api, created.token)
      return counting
    }
    if (!isWanted()) return scope.token
    await withLockInTime(this.#deps, `${lockName}:anonymous`, scope.abortSignal, async () => {
      const token = isWanted() && (await create())
      if (token && isWanted()) this.#setToken(scope, token)
    })
    return scope.token
  }

  /** Stores a token of the scope's own anonymous session or contact, and goes on with it. */
  #setToken(scope: SessionScope, token: string): void {
    // If the token can't be stored, another epoch has begun, and this tab will be notified.
    if (!this.#deps.identity.writeToken(scope.epoch, token)) return
    scope.token = token
    this.#update(() => this.#deps.onTokenChange(scope))
  }

  // ---- Identified

  /** Opens the stored data of the person whom the platform has named for the scope's token, and shows it. */
  async #identify(
    scope: SessionScope,
    { contact, conversation }: Session,
    reason: AuthReason,
    isOwnLogin = false,
  ): Promise<void> {
    const { onScopeReady, onIdentified } = this.#deps
    const opened = await this.#open(scope, contact?.id ?? '')
    if (!opened || scope.abortSignal.aborted) return
    this.#update(() => {
      this.#state.value = contact ? { kind: 'identified', scope, contact } : { kind: 'anonymous', scope }
      if (contact) this.#endReason.value = null
      // Before anything is shown or sent: the site may have to be asked about a contact whom another tab has logged in.
      if (contact) onIdentified({ isOwnLogin })
      scope.markReady()
      onScopeReady(scope, conversation, opened)
    })
    this.#emitAuthChange(reason)
  }

  /**
   * Begins a new scope and asks the platform whose token this is. Resolves when the platform has answered. Retries without a time
   * limit, because an outage is no reason to lose a stored session.
   */
  #restoreSession(stored: StoredIdentity, reason: AuthReason, verified?: Session): Promise<unknown> {
    const scope = this.#changeScope('restoring', stored, { keepUnsent: keepsUnsent(this.#state.peek(), stored) })
    const verify = async () => {
      const session = verified ?? (await this.#deps.api.retrieveSession(scope, () => false))
      if (session) return this.#identify(scope, session, reason)
      if (scope.abortSignal.aborted) return
      this.#update(() => {
        this.#state.value = { kind: 'restoreFailed', scope }
        this.#deps.onRestoreFailed()
      })
    }
    scope.settled = verify()
    this.#emitAuthChange(reason)
    return scope.settled
  }

  /**
   * Handles a login with the token that is already in use: waits at most 10 s until that session is restored. Rejects if it
   * isn't restored by then.
   */
  async #awaitCurrentLogin(): Promise<void> {
    const { clock, abortSignal } = this.#deps
    const { epoch } = this.#scope
    const settle = async (): Promise<void> => {
      const scope = this.#scope
      await scope.settled
      // Where an expired token is renewed, another scope of the epoch goes on.
      if (scope !== this.#scope && epoch === this.#scope.epoch) await settle()
    }
    await withTimeout(clock, loginTimeoutMs, settle(), () => loginError('network'))
    if (this.#isIn('identified')) return
    if (abortSignal.aborted) throw loginError('destroyed')
    throw loginError(this.#endReason.peek() ? 'token_invalid' : this.#isIn('restoreFailed') ? 'network' : 'superseded')
  }

  /**
   * Asks the platform whom a token identifies, and stores the token. Rejects with a `WidgetError` on failure: then the visitor
   * is anonymous, or has the identity that a later login or logout has set.
   */
  async #verifyLogin(scope: SessionScope, token: string, reason: AuthReason, verified?: Session): Promise<void> {
    const { api, clock, identity, isOriginRefused, abortSignal: destroyed } = this.#deps
    const { epoch, abortSignal } = scope
    let code: WidgetErrorCode = 'superseded'
    let isVerified = false

    /** Makes the visitor anonymous in all tabs, so that the previous contact never comes back. This also aborts the request. */
    const fail = (failure: WidgetErrorCode) => {
      if (isVerified || abortSignal.aborted) return
      // Another tab may have logged in or out, and this one may not have been notified yet.
      this.followStorage()
      if (abortSignal.aborted) return
      code = failure
      // Nobody could write meanwhile. What the page has said for the visitor goes on.
      void this.beginAnonymousEpoch('login_failed', { keepUnsent: true })
    }

    if (!isToken(token) || !isContactToken(token)) {
      fail('token_malformed')
      throw loginError('token_malformed')
    }
    const cancelTimer = clock.setTimeout(() => fail('network'), loginTimeoutMs)
    const shouldStopRetrying: StopCondition = ({ status, transient }, tries) => {
      if (!transient) fail(status === 404 ? 'bot_unavailable' : 'token_invalid')
      // For scripts, a refused origin looks the same as a lost connection.
      else if (!status && !tries) void isOriginRefused().then(isRefused => isRefused && fail('origin_not_allowed'))
      return !transient
    }
    const session = verified ?? (await api.retrieveSession({ token, abortSignal }, shouldStopRetrying))
    cancelTimer()
    if (session?.contact) {
      // `isOriginRefused` may still report a failure of an earlier attempt, which no longer matters.
      isVerified = true
      // If the token can't be stored, another tab has logged in or out later.
      if (identity.writeToken(epoch, token)) {
        scope.token = token
        await this.#identify(scope, session, reason, true)
      }
      // The page's listener may have logged in or out, or another tab may have.
      this.followStorage()
    } else fail('token_invalid')
    if (abortSignal.aborted) throw loginError(destroyed.aborted ? 'destroyed' : code)
  }

  /** Waits for another tab's login. When it can no longer store a token, the login has failed for all tabs. */
  #awaitRemoteLogin(stored: StoredIdentity, reason: AuthReason): void {
    const { abortSignal } = this.#changeScope('awaitingRemoteLogin', stored, { ended: null })
    const { clock, page, lockName } = this.#deps
    const giveUp = () => {
      // A tab that was frozen may not have noticed yet how the login ended.
      this.followStorage()
      if (!abortSignal.aborted) void this.beginAnonymousEpoch('login_failed', { keepUnsent: true })
    }
    let cancelTimer = clock.setTimeout(giveUp, remoteLoginTimeoutMs)
    // The tab that logs in holds the lock, so check after a moment, when it has had time to get it. If the lock is free, that
    // tab has finished, which localStorage shows soon, or it has gone. A frozen tab keeps the lock, so the first timer is
    // needed as well.
    const cancelCheck = clock.setTimeout(() => {
      void page.withLock(lockName, abortSignal, async isLocked => {
        if (!isLocked) return
        cancelTimer()
        cancelTimer = clock.setTimeout(giveUp, storagePollMs)
      })
    }, storagePollMs)
    abortSignal.addEventListener('abort', () => {
      cancelTimer()
      cancelCheck()
    })
    this.#emitAuthChange(reason)
  }

  // ---- The end of a session

  /**
   * Handles the end of a session at the platform. Resolves when the refused request may be retried: at once, or after the
   * token has been renewed.
   */
  async handleEnded({ token, abortSignal }: Credentials, reason: EndReason): Promise<void> {
    if (abortSignal.aborted) return
    const { identity, records, renewToken } = this.#deps
    const scope = this.#scope
    const stored = identity.read()
    const isAnonymous = !isContactToken(token)
    if (stored.epoch !== scope.epoch || stored.token !== token) {
      // Another tab has handled this already, or has changed the identity.
      this.followStorage()
    } else if (reason !== 'expired') {
      // Another tab may have ended the session and begun the next one. If localStorage doesn't show that yet, an epoch of this
      // tab would replace theirs. IndexedDB shows it at once.
      if (!(await records.takeOver({ epoch: scope.epoch, reason: scope.reason, owner: scope.owner ?? '' })))
        await untilAborted(scope.abortSignal)
      if (!scope.abortSignal.aborted) this.followStorage()
      if (!scope.abortSignal.aborted) void this.beginAnonymousEpoch(reason === 'logged_out' ? 'logout' : reason)
    } else if (renewToken && token && !isAnonymous) {
      // Several requests may be refused because of the same token.
      if (!scope.isExpired.peek()) {
        scope.markExpired()
        renewToken(token, scope.abortSignal)
      }
      // The next token may be another contact's, which ends the scope.
      await scope.untilRenewed(token)
    } else {
      void this.beginAnonymousEpoch('expired', { keepUnsent: isAnonymous })
    }
  }

  // ---- State

  #isIn(...kinds: SessionState['kind'][]): boolean {
    return kinds.includes(this.#state.peek().kind)
  }

  /** Ends the current scope and begins another one. From now on nothing of the former scope is shown or sent. */
  #changeScope(
    kind: Exclude<SessionState['kind'], 'inactive' | 'identified'>,
    identity: StoredIdentity,
    { keepUnsent = false, keepPageMessages = false, ended = this.#endReason.peek() }: ScopeChange = {},
  ): SessionScope {
    this.#scope.end('Natter: the session has ended')
    const scope = new SessionScope(identity)
    this.#scope = scope
    this.#update(() => {
      this.#state.value = { kind, scope }
      this.#endReason.value = ended
      this.#deps.onScopeChange(scope, { keepUnsent, keepPageMessages })
    })
    return scope
  }

  /** Makes changes in one batch after the identity has been written. */
  #update(change: () => void): void {
    updateState(() => {
      this.#isStorageBlocked.value = this.#deps.identity.isBlocked()
      change()
    })
  }

  /** Emits `auth`, unless the last `auth` event had the same state and contact. */
  #emitAuthChange(reason: AuthReason): void {
    const change = { state: this.authState.peek(), contact: this.contact.peek(), reason }
    const key = change.state + (change.contact?.id ?? '')
    if (key === this.#lastEmitted) return
    this.#lastEmitted = key
    this.#deps.emit('auth', change)
  }
}

const scopeOf = (state: SessionState) => (state.kind === 'inactive' ? undefined : state.scope)

const contactOf = (state: SessionState) => (state.kind === 'identified' ? state.contact : null)
