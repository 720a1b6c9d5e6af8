import { batch, createModel, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, EndReason, Session } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { AuthReason, AuthState, CurrentContact, WidgetErrorCode, WidgetEvents } from '../events.ts'
import type { Cache } from '../storage/cache.ts'
import type { Stored } from '../storage/decode.ts'
import type { EpochStore } from '../storage/epoch.ts'
import type { Patience } from '../transport/patience.ts'
import { type BearerDoors, createBearer } from './bearer.ts'
import { identify, loginError, loginMs } from './login.ts'

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

/** One stretch of one identity. What is asked for in it is dropped, whatever comes back, once it is over. */
export interface Scope {
  readonly epoch: number
  /** `null` for an anonymous visitor who hasn't sent anything. */
  token: string | null
  readonly over: AbortSignal
}

export interface SessionDoors extends Omit<BearerDoors, 'sync'> {
  clock: Clock
  patience: Patience
  epochs: EpochStore
  cache: Cache
  /** Another identity, or none, from now on: everything of the one before goes at once. */
  onBegin(scope: Scope): void
  /** The identity is settled: what is stored of it may be shown. `state` is `null` without a token. */
  onEnter(scope: Scope, state: ConversationState | null, stored: Stored): void
  onAuth(change: WidgetEvents['auth']): void
}

// A login of another tab gives up before that; one whose page has gone never says so.
const followMs = loginMs + 2000

const Model = createModel((doors: SessionDoors) => {
  const { wire, clock, patience, tokens, epochs, cache } = doors
  const status = signal<SessionStatus>('anonymous')
  const contact = signal<CurrentContact | null>(null)
  const ended = signal<Exclude<EndReason, 'logged_out'> | null>(null)
  let over = new AbortController()
  let scope: Scope = { epoch: epochs.read().n, token: null, over: over.signal }
  let restoring: Promise<WidgetErrorCode | null> | undefined
  /** The scope of this tab's own login, while it is being checked. */
  let checking: Scope | undefined
  let suspended = false
  let told = 'anonymous'

  function state(): AuthState {
    const now = status.peek()
    return now !== 'restoring' ? now : scope.token?.[0] === 'c' ? 'identifying' : 'anonymous'
  }

  function tell(reason: AuthReason) {
    const who = contact.peek()
    const now = state() + (who?.id ?? '')
    if (now === told) return
    told = now
    doors.onAuth({ state: state(), contact: who, reason })
  }

  function begin(epoch: number, token: string | null, next: SessionStatus): Scope {
    over.abort()
    over = new AbortController()
    const mine: Scope = { epoch, token, over: over.signal }
    scope = mine
    batch(() => {
      status.value = next
      contact.value = null
      doors.onBegin(mine)
    })
    return mine
  }

  async function enter(mine: Scope, { contact: who, conversation }: Session, reason: AuthReason) {
    const stored = await cache.open(mine.epoch, who?.id ?? '')
    if (mine.over.aborted) return
    batch(() => {
      status.value = who ? 'identified' : 'anonymous'
      contact.value = who && { id: who.id, name: who.name }
      doors.onEnter(mine, conversation, stored)
    })
    tell(reason)
  }

  async function beAnonymous(epoch: number, reason: AuthReason) {
    const mine = begin(epoch, null, 'anonymous')
    tell(reason)
    // Opening as nobody erases what is somebody's.
    const stored = await cache.open(epoch, '')
    if (!mine.over.aborted) doors.onEnter(mine, null, stored)
  }

  async function restore(epoch: number, token: string, reason: AuthReason): Promise<WidgetErrorCode | null> {
    const mine = begin(epoch, token, 'restoring')
    tell(reason)
    for (let tries = 0; ; tries++) {
      const answer = await wire.retrieveSession(token, mine.over)
      if (mine.over.aborted) return 'superseded'
      if (answer.ok) {
        await enter(mine, answer.data, reason)
        return mine.over.aborted ? 'superseded' : null
      }
      if (answer.ended) {
        end(mine, answer.ended)
        return 'token_invalid'
      }
      await patience.wait(tries, mine.over, answer.retryAfterMs)
    }
  }

  /** Ends a session that the platform has ended. */
  function end(mine: Scope, reason: EndReason) {
    if (mine.over.aborted) return
    // Another tab has heard it first, or has gone on already.
    if (epochs.read().n !== mine.epoch || tokens.read() !== mine.token) return sync()
    const why = reason === 'logged_out' ? 'logout' : reason
    const epoch = epochs.raise(why)
    tokens.write(null)
    void beAnonymous(epoch, why)
    ended.value = reason === 'logged_out' ? null : reason
  }

  /** Compares what this tab shows with what stands in storage, and follows. */
  function sync() {
    if (suspended) return
    const { n, reason } = epochs.read()
    const token = tokens.read()
    // A token that another tab is just about to remove is no token.
    const fresh = token !== scope.token ? token : null
    if (n === scope.epoch) {
      if (token === scope.token || checking === scope) return
      if (!token) void beAnonymous(n, 'logout')
      else if (!scope.token && token[0] === 'v' && status.peek() === 'anonymous') void adopt(scope, token)
      else restoring = restore(n, token, reason)
    } else if (n < scope.epoch) {
      // The visitor has emptied the storage.
      void beAnonymous(epochs.raise('logout'), 'logout')
    } else if (fresh) restoring = restore(n, fresh, contact.peek() && reason === 'login' ? 'replaced' : reason)
    else if (reason === 'login') follow(n)
    else {
      void beAnonymous(n, reason)
      ended.value = reason === 'revoked' || reason === 'expired' || reason === 'contact_deleted' ? reason : null
    }
  }

  /** Waits for the login that another tab has begun. */
  function follow(epoch: number) {
    const reason = contact.peek() ? 'replaced' : 'login'
    const mine = begin(epoch, null, 'identifying')
    tell(reason)
    const calledOff = clock.after(followMs, () => void beAnonymous(epoch, 'logout'))
    mine.over.addEventListener('abort', calledOff)
  }

  /** Takes the anonymous session that another tab has made. */
  async function adopt(mine: Scope, token: string) {
    mine.token = token
    const answer = await wire.retrieveSession(token, mine.over)
    if (mine.over.aborted) return
    if (!answer.ok && answer.ended) end(mine, answer.ended)
    else doors.onBearer(mine, answer.ok ? answer.data.conversation : null)
  }

  function login(token: string): Promise<{ contact: CurrentContact | null }> {
    if (token === scope.token && !checking) {
      if (status.peek() === 'identified') return Promise.resolve({ contact: contact.peek() })
      if (status.peek() === 'restoring' && restoring) return join(restoring)
    }
    const reason = contact.peek() ? 'replaced' : 'login'
    const previous = epochs.read().n
    // The epoch first: other tabs then know that the token goes because another comes.
    const epoch = epochs.raise('login')
    tokens.write(null)
    const mine = begin(epoch, null, 'identifying')
    checking = mine
    ended.value = null
    tell(reason)
    void cache.claim(epoch, previous)
    return new Promise((resolve, reject) => {
      const done = () => {
        calledOff()
        if (checking === mine) checking = undefined
      }
      const refuse = (code: WidgetErrorCode) => {
        done()
        if (mine.over.aborted) return
        reject(loginError(code))
        // Never the previous person's conversation: their data goes, in other tabs too.
        void beAnonymous(epochs.raise('logout'), 'logout')
      }
      const calledOff = clock.after(loginMs, () => refuse('network'))
      mine.over.addEventListener('abort', () => {
        done()
        reject(loginError('superseded'))
      })
      void identify(doors, token, mine.over).then(async found => {
        if (mine.over.aborted) return
        if (typeof found === 'string') return refuse(found)
        if (epochs.read().n !== mine.epoch) return sync()
        tokens.write(token)
        mine.token = token
        done()
        await enter(mine, found, reason)
        if (mine.over.aborted) return
        resolve({ contact: contact.peek() })
        // localStorage has no transactions: a logout of another tab may have come between the look and the write.
        if (epochs.read().n !== mine.epoch && tokens.read() === token) tokens.write(null)
        sync()
      })
    })
  }

  /** Waits for the session that is being restored: a page's login with the stored token disturbs nothing. */
  function join(result: Promise<WidgetErrorCode | null>): Promise<{ contact: CurrentContact | null }> {
    return new Promise((resolve, reject) => {
      const calledOff = clock.after(loginMs, () => reject(loginError('network')))
      void result.then(code => {
        calledOff()
        if (code) reject(loginError(code))
        else resolve({ contact: contact.peek() })
      })
    })
  }

  return {
    status,
    contact,
    ended,
    state,
    login,
    end,
    sync,
    async logout(bearer: string | null = scope.token ?? tokens.read()) {
      const epoch = epochs.raise('logout')
      tokens.write(null)
      ended.value = null
      // The visitor's browser first, then, at best, the platform.
      await Promise.all([beAnonymous(epoch, 'logout'), bearer && wire.endSession(bearer)])
    },
    dismissEnded() {
      ended.value = null
    },
    /** Takes up what stands in storage: on page load, and when the page comes back. */
    start() {
      const { n, reason } = epochs.read()
      const token = tokens.read()
      if (token) restoring = restore(n, token, 'restored')
      // Without an epoch, data of an earlier one could never be told from its own.
      else void beAnonymous(n || epochs.raise('logout'), reason)
    },
    /** The page is being put away, and may be shown again to somebody else. */
    suspend() {
      // A login under way shows nothing, and its page wants the answer.
      if (checking === scope) return
      suspended = true
      begin(scope.epoch, scope.token, 'restoring')
    },
    resume(): boolean {
      const was = suspended
      suspended = false
      return was
    },
    bearer: createBearer({ ...doors, sync }),
    /** Nothing happens any more. */
    stop() {
      suspended = true
      over.abort()
    },
  }
})

/** What the rest of the core knows of the session. */
export type SessionCore = InstanceType<typeof Model>

export const createSession = (doors: SessionDoors): SessionCore => new Model(doors)
