import { batch, signal } from '@preact/signals-core'
import type { EndReason, Session } from '../../contract/index.ts'
import { widgetError } from '../errors.ts'
import type { AuthReason, AuthState, CurrentContact, WidgetErrorCode } from '../events.ts'
import { type EpochReason, isToken } from '../storage/decode.ts'
import type { Bearer } from '../transport/wire.ts'
import type { Scope } from './scope.ts'
import type { SessionCore, SessionDoors, SessionStatus } from './sessionModel.ts'

type Ending = Exclude<EpochReason, 'login'>

const nothing = () => {}
const loginMs = 10_000
// A login of another tab gives up before that; one whose page has gone never says so.
const followMs = 12_000
const loginError = (code: WidgetErrorCode) => widgetError(code, `Natter's login failed: ${code}`)

export function createSession(doors: SessionDoors): SessionCore {
  const { wire, clock, page, identity, cache } = doors
  const status = signal<SessionStatus>('anonymous')
  const contact = signal<CurrentContact | null>(null)
  const ended = signal<Exclude<EndReason, 'logged_out'> | null>(null)
  let over = new AbortController()
  let scope: Scope = { epoch: 0, token: null, over: over.signal }
  /** Until the scope's token has been checked. */
  let settled: Promise<unknown> = Promise.resolve()
  /** The scope of this tab's own login, while it is being checked. */
  let checking: Scope | undefined
  /** How the token begins whose session is over: memory holds none of it whole. */
  let spent: string | undefined
  /** Whether it follows what stands in storage: not before it has begun, and not while the page is put away. */
  let awake: boolean | undefined
  let told = 'anonymous'

  function state(): AuthState {
    const now = status.peek()
    return now !== 'restoring' ? now : scope.token?.[0] === 'c' ? 'identifying' : 'anonymous'
  }

  function tell(reason: AuthReason) {
    const change = { state: state(), contact: contact.peek(), reason }
    const now = change.state + (change.contact?.id ?? '')
    if (now === told) return
    told = now
    doors.emit('auth', change)
  }

  function begin(epoch: number, token: string | null, next: SessionStatus): Scope {
    // Without a reason of ours the browser would make an error, which remembers who called, and what they had in hand.
    over.abort(0)
    over = new AbortController()
    checking = undefined
    awake = true
    scope = { epoch, token, over: over.signal }
    batch(() => {
      status.value = next
      contact.value = null
      doors.onBegin(scope)
    })
    return scope
  }

  async function enter(mine: Scope, { contact: who, conversation }: Session, reason: AuthReason) {
    const stored = await cache.open(mine.epoch, who?.id ?? '')
    if (mine.over.aborted) return
    batch(() => {
      status.value = who ? 'identified' : 'anonymous'
      contact.value = who
      doors.onEnter(mine, conversation, stored)
    })
    tell(reason)
  }

  async function beAnonymous(epoch: number, reason: Ending) {
    spent = scope.token?.slice(0, 9) ?? spent
    const mine = begin(epoch, null, 'anonymous')
    ended.value = reason === 'logout' ? null : reason
    tell(reason)
    // Opening as nobody erases what is somebody's; where that fails, the reminder stays.
    const stored = await cache.open(epoch, '')
    if (mine.over.aborted) return
    if (stored.epoch === epoch && !identity.read().token) identity.write('')
    doors.onEnter(mine, null, stored)
  }

  /** Ends the session for all tabs. */
  const drop = (reason: Ending) => beAnonymous(identity.raise(reason), reason)

  function restore(epoch: number, token: string, reason: AuthReason) {
    const mine = begin(epoch, token, 'restoring')
    const restored = wire
      // However long it takes: the visitor has done nothing to be forgotten.
      .retrieveSession(mine, () => false)
      .then(found => found && enter(mine, found, reason))
    settled = restored
    tell(reason)
    return restored
  }

  /** Goes on with another token of the same contact. */
  function renew() {
    const mine = scope
    const lapse = () => {
      if (!mine.over.aborted) void drop('expired')
    }
    mine.renewal ??= doors
      .renewal()
      .then(({ renewToken }) => renewToken(mine, contact.peek()?.id, doors, restore, lapse), lapse)
  }

  function end(mine: Bearer, reason: EndReason) {
    if (mine.over.aborted) return
    // Another tab has heard it first, or has gone on already.
    const { n, token } = identity.read()
    if (n !== scope.epoch || token !== mine.token) sync()
    else if (reason === 'expired' && doors.refreshToken) renew()
    else void drop(reason === 'logged_out' ? 'logout' : reason)
    return scope.renewal
  }

  function sync() {
    if (!awake) return
    const { n, reason, token: found } = identity.read()
    // The token that another tab is just about to remove is no token.
    const token = found?.slice(0, 9) === spent ? null : found
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
        doors.onBearer(scope)
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
    if (doors.over.aborted) return
    const { n, reason, token } = identity.read()
    if (token) restore(n, token, 'restored')
    else if (reason === 'login') follow(n)
    // Without an epoch, data of an earlier one could never be told from its own.
    else void beAnonymous(n || identity.raise('logout'), 'logout')
  }

  /** Waits for the login that another tab has begun. */
  function follow(epoch: number) {
    const reason = expect(epoch)
    const calledOff = clock.after(followMs, () => void drop('logout'))
    scope.over.addEventListener('abort', calledOff)
    tell(reason)
  }

  /** Somebody will be identified: until then there is nobody. */
  function expect(epoch: number): AuthReason {
    const reason = contact.peek() ? 'replaced' : 'login'
    spent = undefined
    begin(epoch, null, 'identifying')
    ended.value = null
    return reason
  }

  async function check(mine: Scope, token: string, reason: AuthReason) {
    let code: WidgetErrorCode = 'token_malformed'
    let found: Session | undefined
    if (isToken(token) && token[0] === 'c') {
      code = 'superseded'
      const calledOff = clock.after(loginMs, () => {
        code = 'network'
        void drop('logout')
      })
      found = await wire.retrieveSession({ token, over: mine.over }, ({ transient, status }) => {
        if (!transient) code = status === 404 ? 'bot_unavailable' : 'token_invalid'
        return !transient
      })
      calledOff()
    }
    if (!mine.over.aborted) {
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
    if (mine.over.aborted) throw loginError(code)
    return { contact: contact.peek() }
  }

  /** A login with the token that is in use disturbs nothing; it may have to wait until the session is restored. */
  async function join() {
    const late = new Promise<never>((_, reject) => {
      const calledOff = clock.after(loginMs, () => reject(loginError('network')))
      void settled.then(calledOff)
    })
    await Promise.race([settled, late])
    if (status.peek() !== 'identified') throw loginError(ended.peek() ? 'token_invalid' : 'superseded')
    return { contact: contact.peek() }
  }

  doors.over.addEventListener('abort', () => {
    awake = false
    over.abort()
  })

  return {
    status,
    contact,
    ended,
    storageBlocked: identity.blocked,
    state,
    login(credentials) {
      const token = credentials?.token
      const { n, token: found } = identity.read()
      // Pages call it on every load, and the first one may come before what is stored has been looked at.
      if (!scope.epoch && !scope.token && found && token === found) start()
      if (token && token === scope.token) return join()
      const reason = expect(identity.raise('login'))
      const mine = scope
      checking = mine
      void cache.claim(mine.epoch, n)
      // The page, which hears of it, may want another at once.
      tell(reason)
      const result = check(mine, token, reason)
      if (checking === mine) settled = result.then(nothing, nothing)
      return result
    },
    async logout(forgotten) {
      const bearer = forgotten || scope.token || identity.read().token
      // The visitor's browser first, then, at best, the platform.
      const cleared = drop('logout')
      if (bearer) await wire.endSession({ token: bearer, over: doors.over }, () => true)
      await cleared
    },
    dismissEnded() {
      ended.value = null
    },
    start,
    sync,
    end,
    async bearer(mine, giveUp) {
      // What has been written for one person must not be sent as another's.
      sync()
      const make = async () => {
        // Another tab may have made it while this one waited for the lock.
        sync()
        if (mine.token) return
        const made = await wire.createVisitorSession(mine, giveUp)
        if (!made) return
        // Where there are no locks another tab may have been faster.
        sync()
        if (mine.over.aborted || mine.token) {
          void wire.endSession({ ...made, over: doors.over }, () => true)
          return
        }
        mine.token = made.token
        identity.write(made.token)
        doors.onBearer(mine)
      }
      if (!mine.token) await page.alone(doors.lockName, mine.over, make)
      return mine.token
    },
    suspend() {
      // A login under way shows nothing, and its page wants the answer.
      if (checking || !awake) return
      begin(scope.epoch, scope.token, 'restoring')
      awake = false
    },
    resume() {
      // A login that was under way may have ended, and another tab's logout have come.
      if (awake === false) start()
      else sync()
    },
  }
}
