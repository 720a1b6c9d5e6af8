import type { ReadonlySignal } from '@preact/signals-core'
import type { EndReason, Session } from '../../contract/index.ts'
import type { Credentials, StopCondition } from '../api/apiClient.ts'
import type { AuthReason, AuthState, CurrentContact } from '../loader/events.ts'
import { acquireAnonymousToken } from './anonymousToken.ts'
import { awaitEndOfLogin } from './awaitEndOfLogin.ts'
import { exchangeExpiredToken } from './exchangeExpiredToken.ts'
import { awaitCurrentLogin, verifyLogin } from './login.ts'
import { authReasonOf, endReasonOf, isSameVisitor, reconcile, type Transition, transitionOnStart } from './reconcile.ts'
import { revokeReplacedSession, revokeTokens } from './revokeTokens.ts'
import type { EndOptions, IdentifyOptions, SessionActions } from './sessionActions.ts'
import type { LoginOptions, SessionCore, SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import type { SessionStatus } from './sessionState.ts'
import { SessionStore } from './sessionStore.ts'
import { agreeOnFirstEpoch, openAnonymousEpoch, openEpoch } from './sharedEpoch.ts'
import { type EpochReason, isContactToken } from './storedIdentity.ts'

/** For how long a logout tries to reach the platform. With the wait after the last attempt these are ten minutes. */
const revocationMs = 570_000

/** Manages the visitor's identity: performs the transitions that `reconcile` decides on, logins, logouts and restores. */
export class VisitorSession implements SessionCore, SessionActions {
  readonly #deps: SessionDeps
  readonly #store: SessionStore

  readonly status: ReadonlySignal<SessionStatus>
  readonly authState: ReadonlySignal<AuthState>
  readonly contact: ReadonlySignal<CurrentContact | null>
  readonly endReason: SessionCore['endReason']
  readonly isStorageBlocked: ReadonlySignal<boolean>
  readonly scopeKey: ReadonlySignal<string>
  readonly isReady: ReadonlySignal<boolean>
  readonly dismissEndReason: () => void

  constructor(deps: SessionDeps) {
    const store = new SessionStore(deps)
    this.#deps = deps
    this.#store = store
    this.status = store.status
    this.authState = store.authState
    this.contact = store.contact
    this.endReason = store.endReason
    this.isStorageBlocked = store.isStorageBlocked
    this.scopeKey = store.scopeKey
    this.isReady = store.isReady
    this.dismissEndReason = store.dismissEndReason
    deps.abortSignal.addEventListener('abort', () => store.deactivate())
  }

  // ---- Calls by the page and the visitor

  async login(
    credentials: { token: string },
    { verified }: LoginOptions = {},
  ): Promise<{ contact: CurrentContact | null }> {
    const { identity, cache, anonymousSessions, page, lockName } = this.#deps
    const store = this.#store
    const token = credentials?.token
    // Pages call `login` on every load, maybe before the stored session was read, or after another tab has changed it.
    if (token && this.#isWaitingToStart() && token === identity.read().token) this.start()
    else this.followStorage()
    if (token && token === store.scope.token && !this.#isWaitingToStart() && store.state.kind !== 'restoreFailed') {
      await awaitCurrentLogin(this.#deps, store)
      return { contact: this.contact.peek() }
    }
    const reason = this.contact.peek() ? 'replaced' : 'login'
    const before = identity.read()
    this.#deps.carryDraft()
    // `changeScope` clears the identity, so read it before.
    const change = { keepWords: verified !== undefined && this.authState.peek() === 'anonymous', ended: null }
    const scope = store.changeScope('identifying', identity.beginEpoch('login'), null, change)
    // Other tabs wait for this login as long as this tab holds the lock. Request it, and store a verified token, before the
    // page's listeners run: while these keep the page busy, other tabs would take the login for failed.
    void page.withLock(lockName, scope.abortSignal, () => scope.settled)
    if (verified) identity.writeToken(scope.epoch, token)
    void cache.transferEpoch(scope.epoch, before.epoch)
    void revokeReplacedSession(this.#deps, before.token, anonymousSessions.erase(scope.epoch))
    // The page's listener may call `login` or `logout` at once, which ends this scope.
    store.emitAuthChange(reason)
    const verification = verifyLogin(this.#deps, scope, { token, reason, verified }, this)
    scope.settled = verification.catch(() => {})
    await verification
    return { contact: this.contact.peek() }
  }

  logout = (): Promise<void> => this.#logOut('logout')

  async continueWith(token: string, verified: Session): Promise<void> {
    const { state, scope } = this.#store
    if (state.kind === 'identified') token !== scope.token && this.setToken(scope, token)
    else if (this.#deps.identity.writeToken(scope.epoch, token))
      await this.restoreSession(scope.epoch, token, 'restored', verified)
  }

  endBySite = (): void => void this.#logOut('signed_out')

  retryRestore(): void {
    const { state, scope } = this.#store
    if (state.kind === 'restoreFailed' && scope.token) void this.restoreSession(scope.epoch, scope.token, 'restored')
  }

  #logOut(reason: 'logout' | 'signed_out'): Promise<void> {
    const { api, identity, clock } = this.#deps
    const tokens = [this.#store.scope.token, identity.read().token]
    // First, so that the browser is cleared even if the platform can't be reached.
    const erased = this.endSession(reason)
    // Kept in memory until the next login, `pagehide` or `destroy()` ends the scope.
    const { abortSignal } = this.#store.scope
    const deadline = clock.now() + revocationMs
    return revokeTokens(api, tokens, erased, token => {
      void api.revokeSession({ token, abortSignal }, ({ transient }) => !transient || clock.now() > deadline)
    })
  }

  // ---- The lifecycle of the page

  start(): void {
    // The panel may have been opening while the page destroyed the widget.
    if (this.#deps.abortSignal.aborted) return
    this.#perform(transitionOnStart(this.#deps.identity.read()))
    this.#deps.onStart?.()
  }

  suspend(): void {
    const { state, scope } = this.#store
    // A login in progress shows nobody's data, and the page waits for its result.
    if (['inactive', 'suspended', 'identifying'].includes(state.kind)) return
    this.#store.changeScope('suspended', scope.epoch, scope.token)
  }

  resume = (): void => {
    // A login that was not suspended may have ended, or another tab may have logged out.
    if (this.#store.state.kind === 'suspended') this.start()
    else this.followStorage()
  }

  #isWaitingToStart(): boolean {
    return ['inactive', 'suspended'].includes(this.#store.state.kind)
  }

  // ---- Stored identity

  followStorage = (): void => this.#perform(reconcile(this.#store.state, this.#deps.identity.read()))

  #perform(transition: Transition): void {
    switch (transition.do) {
      case 'nothing':
        break
      case 'beginFirstEpoch':
        this.#beginFirstEpoch(transition.keepUnsent)
        break
      case 'adoptAnonymousToken':
        // Connecting before the cached data is open would report messages twice. `#openAnonymous` compares again.
        if (this.#store.scope.isReady.peek()) this.setToken(this.#store.scope, transition.token)
        break
      case 'refreshToken':
        this.#exchangeToken()
        break
      case 'restore':
        void this.restoreSession(transition.epoch, transition.token, transition.reason)
        break
      case 'awaitRemoteLogin':
        this.#awaitRemoteLogin(transition.epoch, transition.reason)
        break
      case 'becomeAnonymous':
        this.#followEnd(transition)
        break
      case 'endSession':
        void this.endSession(transition.reason, { keepUnsent: transition.keepUnsent })
        break
      default:
        transition satisfies never
    }
  }

  /** Follows another tab that has ended the session. */
  #followEnd({ epoch, reason, keepUnsent }: Extract<Transition, { do: 'becomeAnonymous' }>): void {
    const erasedToken = this.#becomeAnonymous(epoch, reason, keepUnsent)
    if (['logout', 'signed_out', 'login_failed'].includes(reason)) void revokeTokens(this.#deps.api, [], erasedToken)
  }

  // ---- Anonymous

  /** Agrees with the other tabs on the first epoch, because storage holds none. */
  #beginFirstEpoch(keepUnsent: boolean): void {
    const scope = this.#store.changeScope('beginning', '', null, { keepUnsent, ended: null })
    // A contact's page may return from the back/forward cache after storage was emptied.
    this.#store.emitAuthChange('logout')
    const agree = async () => {
      const first = await agreeOnFirstEpoch(this.#deps, scope, this.followStorage)
      if (scope.abortSignal.aborted) return
      scope.epoch = this.#deps.identity.beginEpoch('storage_reset', first)
      this.#store.changeState({ kind: 'anonymous', scope })
      void this.#openAnonymous(scope)
    }
    scope.settled = agree()
  }

  #becomeAnonymous(epoch: string, reason: EpochReason, keepUnsent = false): Promise<string | null> {
    const scope = this.#store.changeScope('anonymous', epoch, null, { keepUnsent, ended: endReasonOf(reason) })
    this.#store.emitAuthChange(authReasonOf(reason))
    return this.#openAnonymous(scope)
  }

  /** Erases the data of other epochs, and shows the data that another tab has stored in this one. */
  async #openAnonymous(scope: SessionScope): Promise<string | null> {
    const { cached, erasedToken } = await openAnonymousEpoch(this.#deps, scope, {
      followStorage: this.followStorage,
      onSuperseded: laterThan => void this.endSession('storage_reset', { keepUnsent: true, laterThan }),
    })
    if (!cached) return erasedToken
    this.#store.update(() => {
      scope.markReady()
      this.#deps.onScopeReady(scope, null, cached)
    })
    // Another tab may have created the session and stored its token already.
    this.followStorage()
    return erasedToken
  }

  endSession(reason: EpochReason, { keepUnsent = false, laterThan }: EndOptions = {}): Promise<string | null> {
    const { identity } = this.#deps
    return this.#becomeAnonymous(identity.beginEpoch(reason, identity.newEpoch(laterThan)), reason, keepUnsent)
  }

  async acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null> {
    await this.#store.scope.settled
    return acquireAnonymousToken(this.#deps, scope, this, shouldStopRetrying)
  }

  setToken(scope: SessionScope, token: string): void {
    // If the token can't be stored, another epoch has begun, and this tab will be notified.
    if (!this.#deps.identity.writeToken(scope.epoch, token)) return
    scope.token = token
    this.#store.update(() => this.#deps.onTokenChange(scope))
  }

  // ---- Identified

  token(): string | null {
    return this.#store.scope.token
  }

  async identify(
    scope: SessionScope,
    { contact, conversation }: Session,
    { reason, isOwnLogin = false }: IdentifyOptions,
  ): Promise<void> {
    const { onScopeReady, onIdentified } = this.#deps
    const cached = await this.#openEpoch(scope, contact)
    if (!cached || scope.abortSignal.aborted) return
    this.#store.changeState(contact ? { kind: 'identified', scope, contact } : { kind: 'anonymous', scope }, () => {
      // Before anything is shown or sent: the site may have to be asked about a contact whom another tab has logged in.
      if (contact) onIdentified?.({ isOwnLogin })
      scope.markReady()
      onScopeReady(scope, conversation, cached)
    })
    this.#store.emitAuthChange(reason)
  }

  /** Opens the epoch's data of `contact`. If IndexedDB has a later epoch and localStorage doesn't show it, the session ends. */
  #openEpoch(scope: SessionScope, contact: CurrentContact | null) {
    return openEpoch(this.#deps, scope, contact?.id ?? '', {
      followStorage: this.followStorage,
      onSuperseded: laterThan => void this.endSession('logout', { laterThan }),
    })
  }

  /** Retries without a time limit, because an outage is no reason to lose a stored session. */
  restoreSession(epoch: string, token: string, reason: AuthReason, verified?: Session): Promise<unknown> {
    const keepUnsent = isSameVisitor(this.#store.state, { epoch, token })
    const scope = this.#store.changeScope('restoring', epoch, token, { keepUnsent })
    const verify = async () => {
      const session = verified ?? (await this.#deps.api.retrieveSession(scope, () => false))
      if (session) return this.identify(scope, session, { reason })
      if (scope.abortSignal.aborted) return
      this.#store.changeState({ kind: 'restoreFailed', scope }, this.#deps.onRestoreFailed)
    }
    scope.settled = verify()
    this.#store.emitAuthChange(reason)
    return scope.settled
  }

  #awaitRemoteLogin(epoch: string, reason: AuthReason): void {
    const { abortSignal } = this.#store.changeScope('awaitingRemoteLogin', epoch, null, { ended: null })
    awaitEndOfLogin(this.#deps, abortSignal, () => {
      // A tab that was frozen may not have noticed yet how the login ended.
      this.followStorage()
      if (!abortSignal.aborted) void this.endSession('login_failed', { keepUnsent: true })
    })
    this.#store.emitAuthChange(reason)
  }

  async handleEnded({ token, abortSignal }: Credentials, reason: EndReason): Promise<void> {
    if (abortSignal.aborted) return
    const { identity, onTokenExpired, refreshToken } = this.#deps
    const { scope } = this.#store
    const stored = identity.read()
    const isAnonymous = !isContactToken(token)
    if (stored.epoch !== scope.epoch || stored.token !== token) {
      // Another tab has handled this already, or has changed the identity.
      this.followStorage()
    } else if (reason !== 'expired') {
      // Another tab may have ended the session and begun the next one. If localStorage doesn't show that yet, an epoch of this
      // tab would replace theirs. IndexedDB shows it at once.
      await this.#openEpoch(scope, this.contact.peek())
      if (!scope.abortSignal.aborted) void this.endSession(reason === 'logged_out' ? 'logout' : reason)
    } else if (onTokenExpired && token && !isAnonymous) {
      onTokenExpired(token)
      // The site's next token may be another contact's, which ends the scope.
      await scope.untilReplaced(token)
    } else if (refreshToken && !isAnonymous) {
      this.#exchangeToken()
    } else {
      void this.endSession('expired', { keepUnsent: isAnonymous })
    }
    await this.#store.scope.tokenExchange
  }

  /** Continues with another token of the same contact. If there is none, the session ends as expired. */
  #exchangeToken(): void {
    exchangeExpiredToken(this.#deps, this.#store.scope, this.contact.peek()?.id, this)
  }
}
