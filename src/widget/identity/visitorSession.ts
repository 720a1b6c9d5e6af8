import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { EndReason, Session } from '../../contract/index.ts'
import type { Credentials, StopCondition } from '../api/apiClient.ts'
import { delay, untilAborted } from '../async/timing.ts'
import { untilTrue } from '../async/untilTrue.ts'
import { withRetries } from '../async/withRetries.ts'
import type { AuthReason, AuthState, CurrentContact } from '../loader/events.ts'
import type { RecordsMeta } from '../store/guards.ts'
import type { OpenedRecords } from '../store/records.ts'
import { storageDelayMs, storagePollMs } from '../store/storageDelays.ts'
import { setState, updateState } from '../updateState.ts'
import { acquireToken } from './acquireToken.ts'
import { awaitCurrentLogin, awaitRemoteLogin, verifyLogin } from './login.ts'
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
import { revokeTokens } from './revokeTokens.ts'
import type { AnonymousEpochOptions, IdentifyOptions, SessionActions, SessionDeps } from './sessionDeps.ts'
import { type KeepOptions, SessionScope } from './sessionScope.ts'
import { type EpochReason, isContactToken, noIdentity, type StoredIdentity } from './storedIdentity.ts'

export type { SessionStatus }

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

/**
 * Manages the visitor's identity: holds the state, performs the transitions that `reconcile` decides on, logins, logouts and
 * restores. No other model changes who the visitor is.
 */
export class VisitorSession implements SessionActions {
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

  get state(): SessionState {
    return this.#state.peek()
  }

  /** The current scope. Before `start()` it is an empty one, after the end of the widget the last one, which has ended. */
  get scope(): SessionScope {
    return this.#scope
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
    if (token && this.#isWaitingToStart() && token === identity.read().token) this.start()
    else this.followStorage()
    if (token && token === this.#scope.token && !this.#isWaitingToStart() && this.state.kind !== 'restoreFailed') {
      await awaitCurrentLogin(this.#deps, this)
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
    const verification = verifyLogin(this.#deps, scope, { token, reason, verified }, this)
    scope.settled = verification.catch(() => {})
    await verification
    return { contact: this.contact.peek() }
  }

  logout = (): Promise<void> => this.#logOut('logout')

  /** Goes on with another token of the same contact, about which the platform has given the answer `verified`. */
  async continueWith(token: string, verified: Session): Promise<void> {
    const { state, scope } = this
    if (state.kind === 'identified') token !== scope.token && this.setToken(scope, token)
    else if (this.#deps.identity.writeToken(scope.epoch, token))
      await this.restoreSession(this.#deps.identity.read(), 'restored', verified)
  }

  /** Logs out because nobody is signed in at the site. Unlike after `logout`, the site may be asked again. */
  endBySite = (): void => void this.#logOut('signed_out')

  /** Tries again to restore the stored session after the platform has refused. */
  retryRestore(): void {
    const { state, scope } = this
    if (state.kind === 'restoreFailed') void this.restoreSession(scope, 'restored')
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
    this.#deps.onStart?.()
  }

  /** Hides everything before the page enters the back/forward cache, because somebody else may return to it. */
  suspend(): void {
    const { state, scope } = this
    // A login in progress shows nobody's data, and the page waits for its result.
    if (['inactive', 'suspended', 'identifying'].includes(state.kind)) return
    this.#changeScope('suspended', scope)
  }

  resume = (): void => {
    // A login that was not suspended may have ended, or another tab may have logged out.
    if (this.state.kind === 'suspended') this.start()
    else this.followStorage()
  }

  #isWaitingToStart(): boolean {
    return ['inactive', 'suspended'].includes(this.state.kind)
  }

  // ---- Stored identity

  followStorage = (): void => this.#perform(reconcile(this.state, this.#deps.identity.read()))

  #perform(transition: Transition): void {
    switch (transition.do) {
      case 'nothing':
        break
      case 'beginFirstEpoch':
        this.#beginFirstEpoch(transition.keepUnsent)
        break
      case 'adoptAnonymousToken':
        // Connecting before the cached data is open would report messages twice. `#openAnonymous` compares again.
        if (this.#scope.isReady.peek()) this.setToken(this.#scope, transition.token)
        break
      case 'exchangeToken':
        this.#exchangeToken()
        break
      case 'restore':
        void this.restoreSession(transition.stored, transition.reason)
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
    const { scope } = this
    if (scope.epoch !== epoch || scope.isOvertaken) return
    scope.isOvertaken = true
    const { abortSignal } = scope
    // Counted, because the clock may be set back meanwhile.
    for (let waitedMs = 0; waitedMs < storageDelayMs && !abortSignal.aborted; waitedMs += storagePollMs) {
      await delay(clock, storagePollMs)
      if (!abortSignal.aborted) this.followStorage()
    }
    if (abortSignal.aborted) return
    const keepUnsent = isVisitorContinued(this.state, later)
    const reason = [scope.reason, later.reason].some(isEndedOnPurpose) ? 'logout' : 'signed_out'
    const erased = this.beginAnonymousEpoch(keepUnsent ? scope.reason : reason, { keepUnsent, after: later.epoch })
    void revokeTokens(this.#deps.api, [], erased)
  }

  beginAnonymousEpoch(
    reason: EpochReason,
    { keepUnsent = false, after }: AnonymousEpochOptions = {},
  ): Promise<string | null> {
    const { identity } = this.#deps
    const next = keepUnsent ? identity.continueEpoch(this.#scope.epoch, after) : identity.newEpoch(reason, after)
    return this.#becomeAnonymous(identity.beginEpoch(reason, next), reason, keepUnsent)
  }

  /** Returns the token to send with, and creates an anonymous session if necessary. `null` if that isn't possible now. */
  async acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null> {
    await scope.settled
    return acquireToken(this.#deps, scope, this, shouldStopRetrying)
  }

  setToken(scope: SessionScope, token: string): void {
    // If the token can't be stored, another epoch has begun, and this tab will be notified.
    if (!this.#deps.identity.writeToken(scope.epoch, token)) return
    scope.token = token
    this.#update(() => this.#deps.onTokenChange(scope))
  }

  // ---- Identified

  async identify(
    scope: SessionScope,
    { contact, conversation }: Session,
    { reason, isOwnLogin = false }: IdentifyOptions,
  ): Promise<void> {
    const { onScopeReady, onIdentified } = this.#deps
    const opened = await this.#open(scope, contact?.id ?? '')
    if (!opened || scope.abortSignal.aborted) return
    this.#update(() => {
      this.#state.value = contact ? { kind: 'identified', scope, contact } : { kind: 'anonymous', scope }
      if (contact) this.#endReason.value = null
      // Before anything is shown or sent: the site may have to be asked about a contact whom another tab has logged in.
      if (contact) onIdentified?.({ isOwnLogin })
      scope.markReady()
      onScopeReady(scope, conversation, opened)
    })
    this.#emitAuthChange(reason)
  }

  /** Retries without a time limit, because an outage is no reason to lose a stored session. */
  restoreSession(stored: StoredIdentity, reason: AuthReason, verified?: Session): Promise<unknown> {
    const scope = this.#changeScope('restoring', stored, { keepUnsent: keepsUnsent(this.state, stored) })
    const verify = async () => {
      const session = verified ?? (await this.#deps.api.retrieveSession(scope, () => false))
      if (session) return this.identify(scope, session, { reason })
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

  #awaitRemoteLogin(stored: StoredIdentity, reason: AuthReason): void {
    const scope = this.#changeScope('awaitingRemoteLogin', stored, { ended: null })
    awaitRemoteLogin(this.#deps, scope, this)
    this.#emitAuthChange(reason)
  }

  /**
   * Handles the end of a session at the platform. Resolves when the refused request may be retried: at once, or after the
   * token has been exchanged.
   */
  async handleEnded({ token, abortSignal }: Credentials, reason: EndReason): Promise<void> {
    if (abortSignal.aborted) return
    const { identity, records, onTokenExpired, refreshToken } = this.#deps
    const { scope } = this
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
    } else if (onTokenExpired && token && !isAnonymous) {
      onTokenExpired(token)
      // The site's next token may be another contact's, which ends the scope.
      await scope.untilReplaced(token)
    } else if (refreshToken && !isAnonymous) {
      this.#exchangeToken()
    } else {
      void this.beginAnonymousEpoch('expired', { keepUnsent: isAnonymous })
    }
    await this.#scope.pendingExchange
  }

  /**
   * Continues with another token of the same contact. If there is none, the session ends as expired. The code for that is
   * fetched again after a failure.
   */
  #exchangeToken(): void {
    const { scope } = this
    const { backoff, tokenExchange } = this.#deps
    const contactId = this.contact.peek()?.id
    scope.pendingExchange ??= withRetries(tokenExchange, { backoff, abortSignal: scope.abortSignal })
      .then(chunk => chunk?.exchangeToken(this.#deps, scope, contactId, this))
      .then(() => {
        scope.pendingExchange = undefined
      })
  }

  // ---- State

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
