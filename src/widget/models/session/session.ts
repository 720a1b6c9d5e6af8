import { batch, signal } from '@preact/signals-core'
import type { EndReason, Session } from '../../../contract/index.ts'
import type { Credentials } from '../../api/apiClient.ts'
import { widgetError } from '../../loader/errors.ts'
import type { AuthReason, AuthState, CurrentContact, WidgetErrorCode } from '../../loader/events.ts'
import { type EpochReason, isToken } from '../../storage/guards.ts'
import type { SessionCore, SessionDeps, SessionStatus } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

type Ending = Exclude<EpochReason, 'login'>

const nothing = () => {}
const loginMs = 10_000
// A login of another tab gives up before that; one whose page has gone never says so.
const followMs = 12_000
const loginError = (code: WidgetErrorCode) => widgetError(code, `Natter's login failed: ${code}`)

export function createSession(deps: SessionDeps): SessionCore {
  const { api, clock, page, identity, cache } = deps
  const status = signal<SessionStatus>('anonymous')
  const contact = signal<CurrentContact | null>(null)
  const isStorageBlocked = signal(identity.blocked())
  const scopeKey = signal('')
  let scopeCount = 0
  const endReason = signal<Exclude<EndReason, 'logged_out'> | null>(null)
  let abortSignal = new AbortController()
  let scope: SessionScope = { epoch: 0, token: null, abortSignal: abortSignal.signal }
  /** Until the scope's token has been checked. */
  let settled: Promise<unknown> = Promise.resolve()
  /** The scope of this tab's own login, while it is being checked. */
  let checking: SessionScope | undefined
  /** How the token begins whose session is over: memory holds none of it whole. */
  let endedTokenPrefix: string | undefined
  /** Whether it follows what stands in storage: not before it has begun, and not while the page is put away. */
  let isActive: boolean | undefined
  let lastEmittedAuth = 'anonymous'

  function state(): AuthState {
    const now = status.peek()
    return now !== 'restoring' ? now : scope.token?.[0] === 'c' ? 'identifying' : 'anonymous'
  }

  function emitAuthChange(reason: AuthReason) {
    const change = { state: state(), contact: contact.peek(), reason }
    const now = change.state + (change.contact?.id ?? '')
    if (now === lastEmittedAuth) return
    lastEmittedAuth = now
    deps.emit('auth', change)
  }

  function begin(epoch: number, token: string | null, next: SessionStatus): SessionScope {
    // Without a reason of ours the browser would make an error, which remembers who called, and what they had in hand.
    abortSignal.abort(0)
    abortSignal = new AbortController()
    checking = undefined
    isActive = true
    scope = { epoch, token, abortSignal: abortSignal.signal }
    batch(() => {
      status.value = next
      contact.value = null
      isStorageBlocked.value = identity.blocked()
      scopeKey.value = `${epoch}.${++scopeCount}`
      deps.onBegin(scope)
    })
    return scope
  }

  async function enter(mine: SessionScope, { contact: who, conversation }: Session, reason: AuthReason) {
    const stored = await cache.open(mine.epoch, who?.id ?? '')
    if (mine.abortSignal.aborted) return
    batch(() => {
      status.value = who ? 'identified' : 'anonymous'
      isStorageBlocked.value = identity.blocked()
      contact.value = who
      deps.onEnter(mine, conversation, stored)
    })
    emitAuthChange(reason)
  }

  async function beAnonymous(epoch: number, reason: Ending) {
    endedTokenPrefix = scope.token?.slice(0, 9) ?? endedTokenPrefix
    const mine = begin(epoch, null, 'anonymous')
    endReason.value = reason === 'logout' ? null : reason
    emitAuthChange(reason)
    // Opening as nobody erases what is somebody's; where that fails, the reminder stays.
    const stored = await cache.open(epoch, '')
    if (mine.abortSignal.aborted) return
    if (stored.epoch === epoch && !identity.read().token) identity.write('')
    deps.onEnter(mine, null, stored)
  }

  /** Ends the session for all tabs. */
  const drop = (reason: Ending) => beAnonymous(identity.beginEpoch(reason), reason)

  function restore(epoch: number, token: string, reason: AuthReason) {
    const mine = begin(epoch, token, 'restoring')
    const restored = api
      // However long it takes: the visitor has done nothing to be forgotten.
      .retrieveSession(mine, () => false)
      .then(found => found && enter(mine, found, reason))
    settled = restored
    emitAuthChange(reason)
    return restored
  }

  /** Goes on with another token of the same contact. */
  function renew() {
    const mine = scope
    const lapse = () => {
      if (!mine.abortSignal.aborted) void drop('expired')
    }
    mine.renewal ??= deps
      .renewal()
      .then(({ renewToken }) => renewToken(mine, contact.peek()?.id, deps, restore, lapse), lapse)
  }

  function end(mine: Credentials, reason: EndReason) {
    if (mine.abortSignal.aborted) return
    // Another tab has heard it first, or has gone on already.
    const { n, token } = identity.read()
    if (n !== scope.epoch || token !== mine.token) sync()
    else if (reason === 'expired' && deps.refreshToken) renew()
    else void drop(reason === 'logged_out' ? 'logout' : reason)
    return scope.renewal
  }

  function sync() {
    if (!isActive) return
    const { n, reason, token: found } = identity.read()
    // The token that another tab is just about to remove is no token.
    const token = found?.slice(0, 9) === endedTokenPrefix ? null : found
    const fresh = token !== scope.token ? token : null
    if (n === scope.epoch) {
      if (token === scope.token || checking) return
      // Taken away without an epoch of its own: what other tabs still write in this one must not count as nobody's.
      if (!token) void drop('logout')
      else if (contact.peek()) renew()
      else if (scope.token || token[0] === 'c' || status.peek() !== 'anonymous') restore(n, token, reason)
      else {
        // Another tab has made the anonymous session: what is being written here stays.
        scope.token = token
        deps.onTokenChange(scope)
      }
    } else if (n < scope.epoch) {
      // The visitor has emptied the storage.
      void drop('logout')
    } else if (fresh) restore(n, fresh, contact.peek() && reason === 'login' ? 'replaced' : reason)
    else if (reason === 'login') follow(n)
    else void beAnonymous(n, reason)
  }

  function start() {
    // The panel may have been under way to an opening when the page took the widget away.
    if (deps.abortSignal.aborted) return
    const { n, reason, token } = identity.read()
    if (token) restore(n, token, 'restored')
    else if (reason === 'login') follow(n)
    // Without an epoch, data of an earlier one could never be told from its own.
    else void beAnonymous(n || identity.beginEpoch('logout'), 'logout')
  }

  /** Waits for the login that another tab has begun. */
  function follow(epoch: number) {
    const reason = startIdentifying(epoch)
    const cancelTimer = clock.after(followMs, () => void drop('logout'))
    scope.abortSignal.addEventListener('abort', cancelTimer)
    emitAuthChange(reason)
  }

  /** Somebody will be identified: until then there is nobody. */
  function startIdentifying(epoch: number): AuthReason {
    const reason = contact.peek() ? 'replaced' : 'login'
    endedTokenPrefix = undefined
    begin(epoch, null, 'identifying')
    endReason.value = null
    return reason
  }

  async function verifyLogin(mine: SessionScope, token: string, reason: AuthReason) {
    let code: WidgetErrorCode = 'token_malformed'
    let found: Session | undefined
    if (isToken(token) && token[0] === 'c') {
      code = 'superseded'
      const cancelTimer = clock.after(loginMs, () => {
        code = 'network'
        void drop('logout')
      })
      found = await api.retrieveSession({ token, abortSignal: mine.abortSignal }, ({ transient, status }) => {
        if (!transient) code = status === 404 ? 'bot_unavailable' : 'token_invalid'
        return !transient
      })
      cancelTimer()
    }
    if (!mine.abortSignal.aborted) {
      if (!found?.contact) {
        // Never the previous person's conversation: their data goes, in other tabs too.
        void drop('logout')
        throw loginError(found ? 'token_invalid' : code)
      }
      // Else another tab's login or logout came later, though this one hasn't been told yet.
      if (identity.read().n === mine.epoch) {
        identity.write(token)
        mine.token = token
        await enter(mine, found, reason)
        // localStorage has no transactions: a logout may also have come between the look and the write. A login says
        // itself whose token stands, and it may be the same.
        const now = identity.read()
        if (now.n !== mine.epoch && now.reason !== 'login' && now.token === token) identity.write('')
      }
      // The page may have begun another when it heard of this one.
      if (checking === mine) checking = undefined
      sync()
    }
    if (mine.abortSignal.aborted) throw loginError(code)
    return { contact: contact.peek() }
  }

  /** A login with the token that is in use disturbs nothing; it may have to wait until the session is restored. */
  async function awaitCurrentLogin() {
    const late = new Promise<never>((_, reject) => {
      const cancelTimer = clock.after(loginMs, () => reject(loginError('network')))
      void settled.then(cancelTimer)
    })
    await Promise.race([settled, late])
    if (status.peek() !== 'identified') throw loginError(endReason.peek() ? 'token_invalid' : 'superseded')
    return { contact: contact.peek() }
  }

  deps.abortSignal.addEventListener('abort', () => {
    isActive = false
    abortSignal.abort()
  })

  return {
    status,
    contact,
    endReason,
    isStorageBlocked,
    scopeKey,
    state,
    login(credentials) {
      const token = credentials?.token
      const { n, token: found } = identity.read()
      // Pages call it on every load, and the first one may come before what is stored has been looked at.
      if (!scope.epoch && !scope.token && found && token === found) start()
      if (token && token === scope.token) return awaitCurrentLogin()
      const reason = startIdentifying(identity.beginEpoch('login'))
      const mine = scope
      checking = mine
      void cache.transferEpoch(mine.epoch, n)
      // The page, which hears of it, may want another at once.
      emitAuthChange(reason)
      const result = verifyLogin(mine, token, reason)
      if (checking === mine) settled = result.then(nothing, nothing)
      return result
    },
    async logout(forgotten) {
      const acquireToken = forgotten || scope.token || identity.read().token
      // The visitor's browser first, then, at best, the platform.
      const cleared = drop('logout')
      if (acquireToken) await api.endSession({ token: acquireToken, abortSignal: deps.abortSignal }, () => true)
      await cleared
    },
    dismissEndReason() {
      endReason.value = null
    },
    start,
    sync,
    end,
    async acquireToken(mine, shouldStopRetrying) {
      // What has been written for one person must not be sent as another's.
      sync()
      const make = async () => {
        // Another tab may have made it while this one waited for the lock.
        sync()
        if (mine.token) return
        const made = await api.createVisitorSession(mine, shouldStopRetrying)
        if (!made) return
        // Where there are no locks another tab may have been faster.
        sync()
        if (mine.abortSignal.aborted || mine.token) {
          void api.endSession({ ...made, abortSignal: deps.abortSignal }, () => true)
          return
        }
        mine.token = made.token
        identity.write(made.token)
        isStorageBlocked.value = identity.blocked()
        deps.onTokenChange(mine)
      }
      if (!mine.token) await page.withLock(deps.lockName, mine.abortSignal, make)
      return mine.token
    },
    suspend() {
      // A login under way shows nothing, and its page wants the answer.
      if (checking || !isActive) return
      begin(scope.epoch, scope.token, 'restoring')
      isActive = false
    },
    resume() {
      // A login that was under way may have ended, and another tab's logout have come.
      if (isActive === false) start()
      else sync()
    },
  }
}
