import { computed, signal } from '@preact/signals-core'
import type { EndReason, Session } from '../../../contract/index.ts'
import type { AuthReason } from '../../loader/events.ts'
import type { EpochReason } from '../../storage/epoch.ts'
import { updateState } from '../updateState.ts'
import { acquireAnonymousToken, findAnonymousToken, isStaleAnonymousToken } from './anonymousToken.ts'
import { inTime, loginError, verifyLogin } from './login.ts'
import { authReasonOf, endedPrefixLength, endReasonOf, reconcile } from './reconcile.ts'
import type { SessionCore, SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import { authStateOf, isContactToken, type SessionState, statusOf, tokenOf } from './sessionState.ts'

/** A scope with what it has under way. */
interface ActiveScope extends SessionScope {
  readonly end: AbortController
  /** Settles when the platform has said whose the token is, or the scope is over. */
  verified: Promise<unknown>
  /** While the token, which has expired, is being exchanged: what the platform has refused waits for that. */
  refreshed?: Promise<void> | undefined
}

/** A login of another tab gives up before that (after 10 s), but one whose page has gone never says so. */
const remoteLoginMs = 12_000

export function createSessionModel(deps: SessionDeps): SessionCore {
  const { api, clock, identity, cache, anonymousSessions } = deps
  const state = signal<SessionState>({ kind: 'inactive' })
  const endReason = signal<Exclude<EndReason, 'logged_out'> | null>(null)
  const isStorageBlocked = signal(identity.isBlocked())
  const authState = computed(() => authStateOf(state.value))
  const contact = computed(() => (state.value.kind === 'identified' ? state.value.contact : null))
  let scopeCount = 0
  /** The state's scope; before the first one, of nobody. */
  let scope = createScope('', null)
  let lastEmittedAuth = 'anonymous'

  function createScope(epoch: string, token: string | null): ActiveScope {
    const end = new AbortController()
    return { key: `${++scopeCount}`, epoch, token, abortSignal: end.signal, end, verified: Promise.resolve() }
  }

  /** Ends the current scope and begins another one: nothing of the one before is shown or sent from now on. */
  function changeScope(
    epoch: string,
    token: string | null,
    toState: (scope: SessionScope) => SessionState,
    keepUnsent = false,
  ): ActiveScope {
    // With a reason, because without one the browser makes an error, which retains the call stack.
    scope.end.abort(0)
    const next = createScope(epoch, token)
    scope = next
    updateState(() => {
      state.value = toState(next)
      isStorageBlocked.value = identity.isBlocked()
      deps.onScopeChange(next, { keepUnsent })
    })
    return next
  }

  /** What is known of the scope's identity is settled, and what is stored of it may be shown. */
  async function enter(own: SessionScope, { contact: who, conversation }: Session, reason: AuthReason) {
    const stored = await cache.open(own.epoch, who?.id ?? '')
    if (own.abortSignal.aborted) return
    updateState(() => {
      state.value = who ? { kind: 'identified', scope: own, contact: who } : { kind: 'anonymous', scope: own }
      if (who) endReason.value = null
      isStorageBlocked.value = identity.isBlocked()
      deps.onScopeReady(own, conversation, stored)
    })
    emitAuthChange(reason)
  }

  function setEndReason(next: Exclude<EndReason, 'logged_out'> | null) {
    updateState(() => {
      endReason.value = next
    })
  }

  /** Resolves to the token of an anonymous session that has been erased with what else was stored. */
  async function becomeAnonymous(epoch: string, reason: EpochReason, keepUnsent = false): Promise<string | null> {
    const before = state.peek()
    const endedTokenPrefix =
      tokenOf(before)?.slice(0, endedPrefixLength) ??
      (before.kind === 'anonymous' ? before.endedTokenPrefix : undefined)
    const own = changeScope(epoch, null, scope => ({ kind: 'anonymous', scope, endedTokenPrefix }), keepUnsent)
    setEndReason(endReasonOf(reason))
    emitAuthChange(authReasonOf(reason))
    const [stored, erased] = await Promise.all([cache.open(epoch, ''), anonymousSessions.erase(epoch)])
    if (own.abortSignal.aborted) return erased || null
    // Where something could not be erased, the reminder stays for the next page load.
    const isErased = stored.epoch === epoch && erased !== false
    const current = identity.read()
    if (isErased && current.epoch === epoch && !current.token) identity.removeToken()
    updateState(() => deps.onScopeReady(own, null, stored))
    return erased || null
  }

  /** Ends the session for all tabs. */
  const endSession = (reason: EpochReason, keepUnsent?: boolean) =>
    becomeAnonymous(identity.beginEpoch(reason), reason, keepUnsent)

  /** Asks whose the stored token is. However long it takes: the visitor has done nothing to be forgotten. */
  function restoreSession(epoch: string, token: string, reason: AuthReason): Promise<unknown> {
    const own = changeScope(epoch, token, scope => ({ kind: 'restoring', scope }))
    const verify = async () => {
      const isStale = isStaleAnonymousToken(anonymousSessions, own)
      const found = await api.retrieveSession(own, () => false)
      if (await isStale) found && (await endSession('logout'))
      else if (found) await enter(own, found, reason)
    }
    own.verified = verify()
    emitAuthChange(reason)
    return own.verified
  }

  async function adoptAnonymousToken(own: SessionScope) {
    const token = await findAnonymousToken(deps, own)
    if (token && !own.token && !own.abortSignal.aborted) setAnonymousToken(own, token)
  }

  function setAnonymousToken(own: SessionScope, token: string) {
    own.token = token
    if (identity.read().token !== token) identity.writeToken(token)
    updateState(() => {
      isStorageBlocked.value = identity.isBlocked()
      deps.onTokenChange(own)
    })
  }

  /** Until the login has been verified there is nobody. */
  function startIdentifying(kind: 'identifying' | 'awaitingRemoteLogin', epoch: string): ActiveScope {
    setEndReason(null)
    return changeScope(epoch, null, scope => ({ kind, scope }))
  }

  function awaitRemoteLogin(epoch: string, reason: AuthReason) {
    const { abortSignal } = startIdentifying('awaitingRemoteLogin', epoch)
    const cancelTimer = clock.setTimeout(() => void endSession('logout'), remoteLoginMs)
    abortSignal.addEventListener('abort', cancelTimer)
    emitAuthChange(reason)
  }

  /** Goes on with another token of the same contact; where there is none, the session has expired. */
  function startTokenRefresh() {
    const own = scope
    const expire = () => {
      if (!own.abortSignal.aborted) void endSession('expired')
    }
    own.refreshed ??= deps
      .tokenRefresh()
      .then(
        ({ refreshToken }) => refreshToken(deps, own, { contactId: contact.peek()?.id, restoreSession, expire }),
        expire,
      )
      .then(() => {
        own.refreshed = undefined
      })
  }

  function reconcileWithStorage() {
    const transition = reconcile(state.peek(), identity.read())
    switch (transition.do) {
      case 'nothing':
        break
      case 'adoptAnonymousToken':
        void adoptAnonymousToken(scope)
        break
      case 'refreshToken':
        startTokenRefresh()
        break
      case 'restore':
        void restoreSession(transition.epoch, transition.token, transition.reason)
        break
      case 'awaitRemoteLogin':
        awaitRemoteLogin(transition.epoch, transition.reason)
        break
      case 'becomeAnonymous':
        void becomeAnonymous(transition.epoch, transition.reason, transition.keepUnsent)
        break
      case 'endSession':
        void endSession(transition.reason, transition.keepUnsent)
        break
      default:
        transition satisfies never
    }
  }

  function start() {
    // The panel may have been on its way to open when the page destroyed the widget.
    if (deps.abortSignal.aborted) return
    const { epoch, reason, token } = identity.read()
    if (token) void restoreSession(epoch, token, 'restored')
    else if (reason === 'login') awaitRemoteLogin(epoch, 'login')
    // Without an epoch, records of an earlier visitor could not be told from this one's.
    else void becomeAnonymous(epoch || identity.beginEpoch('storage_empty'), 'logout')
  }

  /** A login with the token that is in use disturbs nothing; it may have to wait until the session is restored. */
  async function awaitCurrentLogin() {
    await inTime(clock, scope.verified)
    if (statusOf(state.peek()) !== 'identified') throw loginError(endReason.peek() ? 'token_invalid' : 'superseded')
    return { contact: contact.peek() }
  }

  function emitAuthChange(reason: AuthReason) {
    const change = { state: authState.peek(), contact: contact.peek(), reason }
    const auth = change.state + (change.contact?.id ?? '')
    if (auth === lastEmittedAuth) return
    lastEmittedAuth = auth
    deps.emit('auth', change)
  }

  /** Requests with it outlive the widget: sites unmount the chat at logout, and the token has to be revoked all the same. */
  const revoke = (token: string) => api.revokeSession({ token, abortSignal: new AbortController().signal }, () => true)

  deps.abortSignal.addEventListener('abort', () => {
    updateState(() => {
      state.value = { kind: 'inactive' }
    })
    scope.end.abort(0)
  })

  return {
    status: computed(() => statusOf(state.value)),
    authState,
    contact,
    endReason,
    isStorageBlocked,
    scopeKey: computed(() => (state.value.kind === 'inactive' ? '' : state.value.scope.key)),
    async login(credentials) {
      const token = credentials?.token
      const stored = identity.read()
      // Pages call it on every load, and the first call may come before what is stored has been looked at.
      if (state.peek().kind === 'inactive' && stored.token && token === stored.token) start()
      if (token && token === scope.token) return awaitCurrentLogin()
      const reason = contact.peek() ? 'replaced' : 'login'
      const own = startIdentifying('identifying', identity.beginEpoch('login'))
      void cache.transferEpoch(own.epoch, stored.epoch)
      void anonymousSessions.erase(own.epoch)
      // The page, which hears of it, may call `login` or `logout` at once.
      emitAuthChange(reason)
      const verified = verifyLogin(deps, own, token, {
        enter: session => enter(own, session, reason),
        endSession: () => void endSession('logout'),
        reconcile: reconcileWithStorage,
      })
      own.verified = verified.catch(() => {})
      await verified
      return { contact: contact.peek() }
    },
    async logout(forgottenToken) {
      const token = forgottenToken || scope.token || identity.read().token
      // The visitor's browser first, then, at best, the platform.
      const cleared = endSession('logout')
      if (token) await revoke(token)
      const erased = await cleared
      // Another tab has just created it, and this one hadn't heard of it.
      if (erased && erased !== token) await revoke(erased)
    },
    dismissEndReason: () => setEndReason(null),
    start,
    reconcile: reconcileWithStorage,
    async handleEnded({ token, abortSignal }, reason) {
      if (abortSignal.aborted) return
      const stored = identity.read()
      const isAnonymous = !isContactToken(token)
      // Another tab has heard it first, or has gone on already.
      if (stored.epoch !== scope.epoch || stored.token !== token) reconcileWithStorage()
      else if (reason === 'logged_out') void endSession('logout')
      else if (reason !== 'expired') void endSession(reason)
      else if (deps.refreshToken && !isAnonymous) startTokenRefresh()
      else void endSession('expired', isAnonymous)
      await scope.refreshed
    },
    async acquireToken(own, shouldStopRetrying) {
      const isWanted = () => {
        // What has been written for one person must not be sent as another's.
        reconcileWithStorage()
        return !own.abortSignal.aborted && !own.token
      }
      const beginAnew = () => void endSession('storage_empty', true)
      const token = await acquireAnonymousToken(deps, own, { isWanted, beginAnew, shouldStopRetrying })
      if (token && isWanted()) setAnonymousToken(own, token)
      return own.token
    },
    suspend() {
      const { kind } = state.peek()
      // A login under way shows nothing, and its page wants the answer.
      if (kind === 'inactive' || kind === 'suspended' || kind === 'identifying') return
      changeScope(scope.epoch, scope.token, scope => ({ kind: 'suspended', scope }))
    },
    resume() {
      // A login that was under way may have ended, and another tab's logout have come.
      if (state.peek().kind === 'suspended') start()
      else reconcileWithStorage()
    },
  }
}
