import type { ReadonlySignal } from '@preact/signals-core'
import type { EndReason, Session } from '../../contract/index.ts'
import type { Credentials, StopCondition } from '../api/apiClient.ts'
import { delay, untilAborted } from '../async/timing.ts'
import type { AuthReason, AuthState, CurrentContact } from '../loader/events.ts'
import type { RecordsMeta } from '../store/guards.ts'
import { type OpenedRecords, storageDelayMs } from '../store/records.ts'
import { acquireToken } from './acquireToken.ts'
import { awaitEndOfLogin, pollMs } from './awaitEndOfLogin.ts'
import { exchangeExpiredToken } from './exchangeExpiredToken.ts'
import { awaitCurrentLogin, verifyLogin } from './login.ts'
import {
  authReasonOf,
  endReasonOf,
  isSameVisitor,
  reconcile,
  type SessionStatus,
  type Transition,
  transitionOnStart,
} from './reconcile.ts'
import { revokeTokens } from './revokeTokens.ts'
import type { EndOptions, IdentifyOptions, SessionActions } from './sessionActions.ts'
import type { LoginOptions, SessionCore, SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import { SessionStore } from './sessionStore.ts'
import { type EpochReason, isContactToken, noIdentity, type StoredIdentity } from './storedIdentity.ts'
import { untilTrue } from './untilTrue.ts'

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
    const { api, identity, records, page, lockName } = this.#deps
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
    const scope = store.changeScope('identifying', identity.beginEpoch('login'), change)
    // Other tabs wait for this login as long as this tab holds the lock. Request it, and store a verified token, before the
    // page's listeners run: while these keep the page busy, other tabs would take the login for failed.
    void page.withLock(lockName, scope.abortSignal, () => scope.settled)
    if (verified) identity.writeToken(scope.epoch, token)
    const replaced = isContactToken(before.token) ? null : before.token
    void revokeTokens(api, [replaced], records.move(scope.epoch, before.epoch))
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
      await this.restoreSession(this.#deps.identity.read(), 'restored', verified)
  }

  endBySite = (): void => void this.#logOut('signed_out')

  retryRestore(): void {
    const { state, scope } = this.#store
    if (state.kind === 'restoreFailed') void this.restoreSession(scope, 'restored')
  }

  async finishLogout(tokens: readonly (string | null)[]): Promise<void> {
    const { api, identity, abortSignal } = this.#deps
    const stored = identity.read()
    // Another tab may have logged in since then.
    const isLoggedOut = transitionOnStart(stored).do === 'becomeAnonymous'
    await revokeTokens(api, tokens, isLoggedOut ? this.#becomeAnonymous(stored) : undefined)
    if (isLoggedOut) await untilTrue(this.isReady, abortSignal)
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
    this.#store.changeScope('suspended', scope)
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
        void this.restoreSession(transition.stored, transition.reason)
        break
      case 'awaitRemoteLogin':
        this.#awaitRemoteLogin(transition.stored, transition.reason)
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
  #followEnd({ stored, reason, keepUnsent }: Extract<Transition, { do: 'becomeAnonymous' }>): void {
    const erasedToken = this.#becomeAnonymous(stored, reason, keepUnsent)
    if (['logout', 'signed_out', 'login_failed'].includes(reason)) void revokeTokens(this.#deps.api, [], erasedToken)
  }

  // ---- Anonymous

  /** Agrees with the other tabs on the first epoch, because storage holds none. */
  #beginFirstEpoch(keepUnsent: boolean): void {
    const scope = this.#store.changeScope('anonymous', noIdentity, { keepUnsent, ended: null })
    // A contact's page may return from the back/forward cache after storage was emptied.
    this.#store.emitAuthChange('logout')
    const { clock, identity, records } = this.#deps
    const agree = async () => {
      while (!scope.epoch) {
        const first = await records.beginFirst()
        if (!first) await delay(clock, pollMs)
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
    const scope = this.#store.changeScope('anonymous', { ...stored, token: null }, change)
    this.#store.emitAuthChange(authReasonOf(reason))
    return this.#openAnonymous(scope)
  }

  /** Erases the data of other epochs, and shows the data that another tab has stored in this one. */
  async #openAnonymous(scope: SessionScope): Promise<string | null> {
    const opened = await this.#open(scope, '')
    if (!opened || scope.abortSignal.aborted) return opened?.erasedToken ?? null
    // If erasing failed, keep the reminder, so that the next page load tries again.
    if (opened.isStored) this.#deps.identity.confirmErased(scope.epoch)
    this.#store.update(() => {
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
    const opened = await this.#deps.records.open(scope)
    if (!opened) await untilAborted(scope.abortSignal)
    // This tab may have been frozen and have missed a change by another tab.
    if (!scope.abortSignal.aborted) this.followStorage()
    return opened
  }

  async handleOvertaken(epoch: string, later: RecordsMeta): Promise<void> {
    const { clock, identity } = this.#deps
    const { scope } = this.#store
    if (scope.epoch !== epoch || scope.isOvertaken) return
    scope.isOvertaken = true
    const { abortSignal } = scope
    const knownSince = clock.now()
    while (!abortSignal.aborted && clock.now() - knownSince < storageDelayMs) {
      await delay(clock, pollMs)
      if (!abortSignal.aborted) this.followStorage()
    }
    if (abortSignal.aborted) return
    const isAnonymous = scope.owner === ''
    const reason = isAnonymous ? scope.reason : 'logout'
    const next = later.owner ? identity.newEpoch(reason, { after: later.epoch }) : later.epoch
    void this.#becomeAnonymous(identity.beginEpoch(reason, next), reason, isAnonymous)
  }

  endSession(reason: EpochReason, { keepUnsent = false }: EndOptions = {}): Promise<string | null> {
    const { identity } = this.#deps
    const continues = keepUnsent ? this.#store.scope.epoch : ''
    const next = identity.newEpoch(reason, { continues })
    return this.#becomeAnonymous(identity.beginEpoch(reason, next), reason, keepUnsent)
  }

  async acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null> {
    await this.#store.scope.settled
    return acquireToken(this.#deps, scope, this, shouldStopRetrying)
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
    const opened = await this.#open(scope, contact?.id ?? '')
    if (!opened || scope.abortSignal.aborted) return
    this.#store.changeState(contact ? { kind: 'identified', scope, contact } : { kind: 'anonymous', scope }, () => {
      // Before anything is shown or sent: the site may have to be asked about a contact whom another tab has logged in.
      if (contact) onIdentified?.({ isOwnLogin })
      scope.markReady()
      onScopeReady(scope, conversation, opened)
    })
    this.#store.emitAuthChange(reason)
  }

  /** Retries without a time limit, because an outage is no reason to lose a stored session. */
  restoreSession(stored: StoredIdentity, reason: AuthReason, verified?: Session): Promise<unknown> {
    const scope = this.#store.changeScope('restoring', stored, { keepUnsent: isSameVisitor(this.#store.state, stored) })
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

  #awaitRemoteLogin(stored: StoredIdentity, reason: AuthReason): void {
    const { abortSignal } = this.#store.changeScope('awaitingRemoteLogin', stored, { ended: null })
    awaitEndOfLogin(this.#deps, abortSignal, () => {
      // A tab that was frozen may not have noticed yet how the login ended.
      this.followStorage()
      if (!abortSignal.aborted) void this.endSession('login_failed', { keepUnsent: true })
    })
    this.#store.emitAuthChange(reason)
  }

  async handleEnded({ token, abortSignal }: Credentials, reason: EndReason): Promise<void> {
    if (abortSignal.aborted) return
    const { identity, records, onTokenExpired, refreshToken } = this.#deps
    const { scope } = this.#store
    const stored = identity.read()
    const isAnonymous = !isContactToken(token)
    if (stored.epoch !== scope.epoch || stored.token !== token) {
      // Another tab has handled this already, or has changed the identity.
      this.followStorage()
    } else if (reason !== 'expired') {
      // Another tab may have ended the session and begun the next one. If localStorage doesn't show that yet, an epoch of this
      // tab would replace theirs. IndexedDB shows it at once.
      if (!(await records.open({ epoch: scope.epoch, reason: scope.reason, owner: scope.owner ?? '' })))
        await untilAborted(scope.abortSignal)
      if (!scope.abortSignal.aborted) this.followStorage()
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
