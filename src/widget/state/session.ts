import { batch, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, EndReason, Session } from '../../contract/index.ts'
import { widgetError } from '../errors.ts'
import type { AuthReason, AuthState, CurrentContact, WidgetErrorCode } from '../events.ts'
import type { Stored } from '../storage/decode.ts'
import type { IdentityStore } from '../storage/identity.ts'
import type { Bearer, GiveUp } from '../transport/wire.ts'
import { createBearer } from './bearer.ts'
import type { Doors, Scope } from './scope.ts'

/** `restoring`: a stored token is being checked on page load; `identifying`: a login is. */
export type SessionStatus = 'anonymous' | 'restoring' | 'identifying' | 'identified'

/** Who is talking: the one writer of identity. */
export interface SessionModel {
  readonly status: ReadonlySignal<SessionStatus>
  readonly contact: ReadonlySignal<CurrentContact | null>
  /** Why the last session ended without the visitor's doing, until it is dismissed or a new one begins. */
  readonly ended: ReadonlySignal<Exclude<EndReason, 'logged_out'> | null>
  /** True where localStorage can't be used: nothing survives a reload. */
  readonly storageBlocked: boolean
  login(token: string): Promise<{ contact: CurrentContact | null }>
  logout(): Promise<void>
  dismissEnded(): void
}

/** What the rest of the core does with the session. */
export interface SessionCore extends SessionModel {
  /** `bearer`: what is to be revoked, where it is no longer in storage. */
  logout(bearer?: string | null): Promise<void>
  state(): AuthState
  /** Takes up what stands in storage: on page load, and when the page comes back. */
  start(): void
  /** Compares what this tab shows with what stands in storage, and follows. */
  sync(): void
  /** Ends a session that the platform has ended. */
  end(bearer: Bearer, reason: EndReason): void
  /** The token to send with, made on first need. */
  bearer(scope: Scope, giveUp: GiveUp): Promise<string | null>
  /** The page is being put away, and may be shown again to somebody else. */
  suspend(): void
  resume(): void
}

export interface SessionDoors extends Doors {
  /** Of the lock under which an anonymous session is made. */
  lockName: string
  identity: IdentityStore
  /** The widget's end. */
  over: AbortSignal
  /** Another identity, or none, from now on: everything of the one before goes at once. */
  onBegin(scope: Scope): void
  /** The identity is settled: what is stored of it may be shown. `state` is `null` without a token. */
  onEnter(scope: Scope, state: ConversationState | null, stored: Stored): void
  /** An anonymous scope has got its token. */
  onBearer(scope: Scope, state: ConversationState): void
}

const endings = ['revoked', 'expired', 'contact_deleted'] as const
const loginMs = 10_000
// A login of another tab gives up before that; one whose page has gone never says so.
const followMs = 12_000

export function createSession(doors: SessionDoors): SessionCore {
  const { wire, clock, identity, cache } = doors
  const status = signal<SessionStatus>('anonymous')
  const contact = signal<CurrentContact | null>(null)
  const ended = signal<Exclude<EndReason, 'logged_out'> | null>(null)
  let over = new AbortController()
  let scope: Scope = { epoch: 0, token: null, over: over.signal }
  let restoring: Promise<WidgetErrorCode | undefined> | undefined
  /** The scope of this tab's own login, while it is being checked. */
  let checking: Scope | undefined
  let suspended = false
  let told = 'anonymous'

  function state(): AuthState {
    const now = status.peek()
    return now !== 'restoring' ? now : scope.token?.[0] === 'c' ? 'identifying' : 'anonymous'
  }

  function tell(reason: AuthReason) {
    const change = { state: state(), contact: contact.peek(), reason }
    const now = change.state + (change.contact?.id ?? '')
    if (now !== told) doors.emit('auth', change)
    told = now
  }

  function begin(epoch: number, token: string | null, next: SessionStatus): Scope {
    over.abort()
    over = new AbortController()
    checking = undefined
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

  async function beAnonymous(epoch: number, reason: AuthReason) {
    const mine = begin(epoch, null, 'anonymous')
    ended.value = endings.find(ending => ending === reason) ?? null
    tell(reason)
    // Opening as nobody erases what is somebody's.
    const stored = await cache.open(epoch, '')
    if (!mine.over.aborted) doors.onEnter(mine, null, stored)
  }

  /** Ends the session for all tabs. */
  const drop = (reason: AuthReason) => beAnonymous(identity.raise(reason), reason)

  function restore(epoch: number, token: string, reason: AuthReason) {
    const mine = begin(epoch, token, 'restoring')
    tell(reason)
    const check = async (): Promise<WidgetErrorCode | undefined> => {
      // However long it takes: the visitor has done nothing to be forgotten.
      const found = await wire.retrieveSession(mine, undefined, () => false)
      if (found) await enter(mine, found, reason)
      return !mine.over.aborted ? undefined : ended.peek() ? 'token_invalid' : 'superseded'
    }
    restoring = check()
  }

  function end(mine: Bearer, reason: EndReason) {
    if (mine.over.aborted) return
    // Another tab has heard it first, or has gone on already.
    const { n, token } = identity.read()
    if (n !== scope.epoch || token !== mine.token) sync()
    else void drop(reason === 'logged_out' ? 'logout' : reason)
  }

  function sync() {
    if (suspended) return
    const { n, reason, token } = identity.read()
    // The token that another tab is just about to remove is no token.
    const fresh = token !== scope.token ? token : null
    if (n === scope.epoch) {
      if (token === scope.token || checking) return
      if (!token) void beAnonymous(n, 'logout')
      else if (!scope.token && token[0] === 'v' && status.peek() === 'anonymous') void adopt(scope, token)
      else restore(n, token, reason)
    } else if (n < scope.epoch) {
      // The visitor has emptied the storage.
      void drop('logout')
    } else if (fresh) restore(n, fresh, contact.peek() && reason === 'login' ? 'replaced' : reason)
    else if (reason === 'login') follow(n)
    else void beAnonymous(n, reason)
  }

  function start() {
    const { n, reason, token } = identity.read()
    if (token) restore(n, token, 'restored')
    else if (reason === 'login') follow(n)
    // Without an epoch, data of an earlier one could never be told from its own.
    else void beAnonymous(n || identity.raise('logout'), 'logout')
  }

  /** Waits for the login that another tab has begun. */
  function follow(epoch: number) {
    const reason = contact.peek() ? 'replaced' : 'login'
    const mine = begin(epoch, null, 'identifying')
    tell(reason)
    const calledOff = clock.after(followMs, () => void drop('logout'))
    mine.over.addEventListener('abort', calledOff)
  }

  /** Takes the anonymous session that another tab has made. */
  async function adopt(mine: Scope, token: string) {
    mine.token = token
    const found = await wire.retrieveSession(mine)
    if (found) doors.onBearer(mine, found.conversation)
  }

  /** Gives a login's outcome to the page, within 10 s. */
  function answer(outcome: Promise<WidgetErrorCode | undefined>, onRefused = () => {}) {
    return new Promise<{ contact: CurrentContact | null }>((resolve, reject) => {
      const settle = (code?: WidgetErrorCode) => {
        calledOff()
        if (!code) return resolve({ contact: contact.peek() })
        reject(widgetError(code, `Natter's login failed: ${code}`))
        onRefused()
      }
      const calledOff = clock.after(loginMs, () => settle('network'))
      void outcome.then(settle)
    })
  }

  async function check(mine: Scope, token: string, reason: AuthReason): Promise<WidgetErrorCode | undefined> {
    if (!/^c:[0-9a-f]{64}$/.test(token)) return 'token_malformed'
    let code: WidgetErrorCode = 'superseded'
    const found = await wire.retrieveSession({ token, over: mine.over }, undefined, ({ transient, status }) => {
      if (!transient) code = status === 404 ? 'bot_unavailable' : 'token_invalid'
      return !transient
    })
    if (!found) return code
    if (!found.contact) return 'token_invalid'
    // Another tab's login or logout came later, though this one hasn't been told yet.
    if (identity.read().n === mine.epoch) {
      identity.write(token)
      mine.token = token
      checking = undefined
      await enter(mine, found, reason)
      // localStorage has no transactions: it may also have come between the look and the write.
      const now = identity.read()
      if (now.n !== mine.epoch && now.token === token) identity.write(null)
    }
    checking = undefined
    sync()
    return mine.over.aborted ? code : undefined
  }

  doors.over.addEventListener('abort', () => {
    suspended = true
    over.abort()
  })

  return {
    status,
    contact,
    ended,
    storageBlocked: identity.blocked,
    state,
    login(token) {
      if (token === scope.token && status.peek() === 'identified') return Promise.resolve({ contact: contact.peek() })
      // A page's login with the stored token disturbs nothing.
      if (token === scope.token && status.peek() === 'restoring' && restoring) return answer(restoring)
      const reason = contact.peek() ? 'replaced' : 'login'
      const previous = identity.read().n
      const epoch = identity.raise('login')
      const mine = begin(epoch, null, 'identifying')
      checking = mine
      ended.value = null
      tell(reason)
      void cache.claim(epoch, previous)
      return answer(check(mine, token, reason), () => {
        // Never the previous person's conversation: their data goes, in other tabs too.
        if (!mine.over.aborted) void drop('logout')
      })
    },
    async logout(bearer = scope.token ?? identity.read().token) {
      // The visitor's browser first, then, at best, the platform.
      const cleared = drop('logout')
      if (bearer) await wire.endSession({ token: bearer, over: doors.over }, undefined, () => true)
      await cleared
    },
    dismissEnded() {
      ended.value = null
    },
    start,
    sync,
    end,
    bearer: createBearer({ ...doors, sync }),
    suspend() {
      // A login under way shows nothing, and its page wants the answer.
      if (checking) return
      suspended = true
      begin(scope.epoch, scope.token, 'restoring')
    },
    resume() {
      if (!suspended) return
      suspended = false
      start()
    },
  }
}
