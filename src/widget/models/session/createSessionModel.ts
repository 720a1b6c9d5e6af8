import { computed, signal } from '@preact/signals-core'
import type { EndReason, Session } from '../../../contract/index.ts'
import { untilAborted } from '../../async/untilAborted.ts'
import type { AuthReason } from '../../loader/events.ts'
import type { EpochReason } from '../../storage/storedIdentity.ts'
import { updateState } from '../updateState.ts'
import { type ActiveScope, createScope } from './activeScope.ts'
import { acquireAnonymousToken } from './anonymousToken.ts'
import { createAuthEmitter } from './authEvents.ts'
import { awaitEndOfLogin } from './awaitEndOfLogin.ts'
import { exchangeExpiredToken } from './exchangeExpiredToken.ts'
import { loginError, verifyLogin, withLoginTimeout } from './login.ts'
import { authReasonOf, endReasonOf, reconcile, type Transition, takeUp } from './reconcile.ts'
import { revokeTokens } from './revokeTokens.ts'
import type { SessionCore, SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import { authStateOf, isContactToken, type SessionState, statusOf } from './sessionState.ts'
import { agreeOnFirstEpoch, openEpoch } from './sharedEpoch.ts'

/** Made without `createModel`, because its actions throw errors of subscribers at the caller. */
export function createSessionModel(deps: SessionDeps): SessionCore {
  const { api, clock, page, lockName, identity, cache, anonymousSessions } = deps
  const state = signal<SessionState>({ kind: 'inactive' })
  const endReason = signal<Exclude<EndReason, 'logged_out'> | null>(null)
  const isStorageBlocked = signal(identity.isBlocked())
  const authState = computed(() => authStateOf(state.value))
  const contact = computed(() => (state.value.kind === 'identified' ? state.value.contact : null))
  const emitAuthChange = createAuthEmitter(authState, contact, deps.emit)
  /** The state's scope; before the first one, of nobody. */
  let scope = createScope('', null)

  /** Ends the current scope and begins another one: nothing of the one before is shown or sent from now on. */
  function changeScope(
    kind: Exclude<SessionState['kind'], 'inactive' | 'identified'>,
    epoch: string,
    token: string | null,
    { keepUnsent = false, isLogin = false, ended = endReason.peek() } = {},
  ): ActiveScope {
    // A text, because an Error would retain the call stack.
    scope.end.abort('Natter: the session has ended')
    const next = createScope(epoch, token)
    scope = next
    updateState(() => {
      state.value = { kind, scope: next }
      endReason.value = ended
      isStorageBlocked.value = identity.isBlocked()
      deps.onScopeChange(next, { keepUnsent, isLogin })
    })
    return next
  }

  // ---- Anonymous

  /** Agrees with the other tabs on the first epoch, where storage holds none. */
  function beginFirstEpoch(keepUnsent: boolean) {
    const own = changeScope('beginning', '', null, { keepUnsent, ended: null })
    // The page may come out of the back/forward cache as a contact's, and find storage emptied.
    emitAuthChange('logout')
    const beginAgreed = async () => {
      const first = await agreeOnFirstEpoch(deps, own, reconcileWithStorage)
      if (own.abortSignal.aborted) return
      own.epoch = identity.beginEpoch('storage_empty', first)
      updateState(() => {
        state.value = { kind: 'anonymous', scope: own }
        isStorageBlocked.value = identity.isBlocked()
      })
      void openAnonymous(own)
    }
    own.ready = beginAgreed()
  }

  /** Resolves to the token of an anonymous session that has been erased with what else was stored. */
  function becomeAnonymous(epoch: string, reason: EpochReason, keepUnsent = false): Promise<string | null> {
    const own = changeScope('anonymous', epoch, null, { keepUnsent, ended: endReasonOf(reason) })
    emitAuthChange(authReasonOf(reason))
    return openAnonymous(own)
  }

  /** Erases what other epochs have left, and shows what another tab has stored in this one. */
  async function openAnonymous(own: ActiveScope): Promise<string | null> {
    const isFirst = identity.read().reason === 'storage_empty'
    const [stored, erased] = await Promise.all([
      openEpoch(deps, own, '', { reconcile: reconcileWithStorage, beginLater: beginLaterAnonymous, isFirst }),
      anonymousSessions.erase(own.epoch, isFirst),
    ])
    if (!stored || own.abortSignal.aborted) return erased || null
    // Where something could not be erased, the reminder stays for the next page load.
    if (stored.epoch === own.epoch && erased !== false) identity.confirmErased(own.epoch)
    updateState(() => {
      own.isOpen.value = true
      deps.onScopeReady(own, null, stored)
    })
    // Another tab may have created the session already.
    reconcileWithStorage()
    return erased || null
  }

  /** Ends the session for all tabs. `known`: an epoch that localStorage may not show, and that is over, too. */
  const endSession = (reason: EpochReason, keepUnsent?: boolean, known?: string) =>
    becomeAnonymous(identity.beginEpoch(reason, identity.newEpoch(known)), reason, keepUnsent)

  const beginLaterAnonymous = (known: string) => void endSession('storage_empty', true, known)

  function setAnonymousToken(own: SessionScope, token: string) {
    // Otherwise another epoch has begun, and this tab is about to be notified.
    if (!identity.writeToken(own.epoch, token)) return
    own.token = token
    updateState(() => {
      isStorageBlocked.value = identity.isBlocked()
      deps.onTokenChange(own)
    })
  }

  // ---- Identified

  /** The platform has said whose the scope's token is: what is stored of them may be shown. */
  async function identify(
    own: ActiveScope,
    { contact: who, conversation }: Session,
    reason: AuthReason,
    isOwnLogin = false,
  ) {
    const beginLater = (known: string) => void endSession('logout', false, known)
    const stored = await openEpoch(deps, own, who?.id ?? '', { reconcile: reconcileWithStorage, beginLater })
    if (!stored || own.abortSignal.aborted) return
    updateState(() => {
      state.value = who ? { kind: 'identified', scope: own, contact: who } : { kind: 'anonymous', scope: own }
      if (who) endReason.value = null
      isStorageBlocked.value = identity.isBlocked()
      own.isOpen.value = true
      deps.onScopeReady(own, conversation, stored)
    })
    if (who) deps.onIdentified?.({ isOwnLogin })
    emitAuthChange(reason)
  }

  /** Asks whose the stored token is. However long it takes: the visitor has done nothing to be forgotten. */
  function restoreSession(epoch: string, token: string, reason: AuthReason): Promise<unknown> {
    const own = changeScope('restoring', epoch, token)
    const verify = async () => {
      const session = await api.retrieveSession(own, () => false)
      if (session) return identify(own, session, reason)
      if (own.abortSignal.aborted) return
      updateState(() => {
        state.value = { kind: 'restoreFailed', scope: own }
        deps.onRestoreFailed()
      })
    }
    own.ready = verify()
    emitAuthChange(reason)
    return own.ready
  }

  function awaitRemoteLogin(epoch: string, reason: AuthReason) {
    const { abortSignal } = changeScope('awaitingRemoteLogin', epoch, null, { ended: null })
    awaitEndOfLogin(deps, abortSignal, () => {
      // A tab that was frozen may not have heard yet how the login ended.
      reconcileWithStorage()
      if (!abortSignal.aborted) void endSession('signed_out')
    })
    emitAuthChange(reason)
  }

  /** Goes on with another token of the same contact; where there is none, the session has expired. */
  function startTokenRefresh() {
    const expire = () => void endSession('expired')
    exchangeExpiredToken(deps, scope, { contactId: contact.peek()?.id, restoreSession, expire })
  }

  /** What the platform has refused waits until the scope ends: with another token another one begins. */
  function awaitOtherToken(token: string): Promise<void> {
    const { abortSignal } = scope
    const ended = untilAborted(abortSignal)
    deps.onTokenExpired?.(token)
    return ended
  }

  function start() {
    // The panel may have been on its way to open when the page destroyed the widget.
    if (deps.abortSignal.aborted) return
    perform(takeUp(identity.read()))
    deps.onStart?.()
  }

  const isWaitingToStart = () => ['inactive', 'suspended'].includes(state.peek().kind)

  const reconcileWithStorage = () => perform(reconcile(state.peek(), identity.read()))

  const transitions: { [Name in Transition['do']]: (transition: Extract<Transition, { do: Name }>) => void } = {
    nothing() {},
    beginFirstEpoch: ({ keepUnsent }) => beginFirstEpoch(keepUnsent),
    adoptAnonymousToken: ({ token }) => setAnonymousToken(scope, token),
    refreshToken: startTokenRefresh,
    restore: ({ epoch, token, reason }) => void restoreSession(epoch, token, reason),
    awaitRemoteLogin: ({ epoch, reason }) => awaitRemoteLogin(epoch, reason),
    becomeAnonymous({ epoch, reason, keepUnsent }) {
      const cleared = becomeAnonymous(epoch, reason, keepUnsent)
      if (reason === 'logout' || reason === 'signed_out') void revokeTokens(api, [], cleared)
    },
    endSession: ({ reason, keepUnsent }) => void endSession(reason, keepUnsent),
  }

  // TypeScript can't see that the two belong together.
  const perform = (transition: Transition) => transitions[transition.do](transition as never)

  function logOut(reason: 'logout' | 'signed_out'): Promise<void> {
    const tokens = [scope.token, identity.read().token]
    // The visitor's browser first, then, at best, the platform.
    return revokeTokens(api, tokens, endSession(reason))
  }

  deps.abortSignal.addEventListener('abort', () => {
    scope.end.abort('Natter was destroyed')
    updateState(() => {
      state.value = { kind: 'inactive' }
    })
  })

  return {
    status: computed(() => statusOf(state.value)),
    authState,
    isOpen: computed(() => state.value.kind !== 'inactive' && state.value.scope.isOpen.value),
    contact,
    endReason,
    isStorageBlocked,
    scopeKey: computed(() => (state.value.kind === 'inactive' ? '' : state.value.scope.key)),
    async login(credentials, { verified: known, keepUnsent = false } = {}) {
      const token = credentials?.token
      // Pages call it on every load, maybe before what is stored has been looked at, or by now says something else.
      if (token && isWaitingToStart() && token === identity.read().token) start()
      else reconcileWithStorage()
      // A login with the token that is in use disturbs nothing; it may have to wait until the session is restored.
      if (token && token === scope.token && !isWaitingToStart() && state.peek().kind !== 'restoreFailed') {
        await withLoginTimeout(clock, scope.ready)
        const { kind } = state.peek()
        if (kind === 'identified') return { contact: contact.peek() }
        throw loginError(endReason.peek() ? 'token_invalid' : kind === 'restoreFailed' ? 'network' : 'superseded')
      }
      const reason = contact.peek() ? 'replaced' : 'login'
      const before = identity.read()
      deps.saveDraft()
      // Until the login has been verified there is nobody.
      const own = changeScope('identifying', identity.beginEpoch('login'), null, {
        keepUnsent,
        isLogin: true,
        ended: null,
      })
      void cache.transferEpoch(own.epoch, before.epoch)
      void anonymousSessions.erase(own.epoch)
      // The page, which hears of it, may call `login` or `logout` at once.
      emitAuthChange(reason)
      const verified = verifyLogin(deps, own, token, known, {
        identify: session => identify(own, session, reason, true),
        endSession: () => void endSession('signed_out'),
        reconcile: reconcileWithStorage,
      })
      own.ready = verified.catch(() => {})
      // Other tabs wait as long as this one has the lock.
      void page.withLock(lockName, own.abortSignal, () => own.ready)
      await verified
      return { contact: contact.peek() }
    },
    logout: () => logOut('logout'),
    endSignedOut: () => void logOut('signed_out'),
    finishLogout(tokens) {
      const next = takeUp(identity.read())
      // Another tab may have logged in since then: that isn't ended.
      const cleared = next.do === 'becomeAnonymous' ? becomeAnonymous(next.epoch, next.reason) : undefined
      return revokeTokens(api, tokens, cleared)
    },
    token: () => scope.token,
    dismissEndReason() {
      updateState(() => {
        endReason.value = null
      })
    },
    start,
    reconcile: reconcileWithStorage,
    retryRestore() {
      if (state.peek().kind === 'restoreFailed' && scope.token)
        void restoreSession(scope.epoch, scope.token, 'restored')
    },
    async handleEnded({ token, abortSignal }, reason) {
      if (abortSignal.aborted) return
      const stored = identity.read()
      const isAnonymous = !isContactToken(token)
      // Another tab has heard it first, or has gone on already.
      if (stored.epoch !== scope.epoch || stored.token !== token) reconcileWithStorage()
      else if (reason === 'logged_out') void endSession('logout')
      else if (reason !== 'expired') void endSession(reason)
      else if (deps.onTokenExpired && token && !isAnonymous) return awaitOtherToken(token)
      else if (deps.refreshToken && !isAnonymous) startTokenRefresh()
      else void endSession('expired', isAnonymous)
      await scope.refreshed
    },
    async acquireToken(own, shouldStopRetrying) {
      await scope.ready
      const actions = { reconcile: reconcileWithStorage, beginLater: beginLaterAnonymous, setToken: setAnonymousToken }
      return acquireAnonymousToken(deps, own, actions, shouldStopRetrying)
    },
    suspend() {
      const { kind } = state.peek()
      // A login under way shows nothing, and its page wants the answer.
      if (kind === 'inactive' || kind === 'suspended' || kind === 'identifying') return
      changeScope('suspended', scope.epoch, scope.token)
    },
    resume() {
      // A login that was under way may have ended, and another tab's logout have come.
      if (state.peek().kind === 'suspended') start()
      else reconcileWithStorage()
    },
  }
}
