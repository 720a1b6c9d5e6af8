import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { EndReason } from '../../contract/index.ts'
import { updateState } from '../conversation/updateState.ts'
import type { AuthReason, AuthState, CurrentContact } from '../loader/events.ts'
import { authStateOf, type SessionState, type SessionStatus, statusOf } from './reconcile.ts'
import type { SessionDeps } from './sessionModel.ts'
import { type KeepOptions, SessionScope } from './sessionScope.ts'
import { noIdentity, type StoredIdentity } from './storedIdentity.ts'

/** Why a session has ended, if the visitor didn't end it. */
type UnwantedEnd = Exclude<EndReason, 'logged_out'>

interface ScopeChange extends Partial<KeepOptions> {
  /** Why the previous session ended, for the visitor. If it is missing, the last reason stays. */
  ended?: UnwantedEnd | null
}

type SessionStoreDeps = Pick<SessionDeps, 'identity' | 'onScopeChange' | 'emit'>

/** Holds the state of the session and the signals derived from it. Only `VisitorSession` writes to it. */
export class SessionStore {
  readonly #deps: SessionStoreDeps
  readonly #state = signal<SessionState>({ kind: 'inactive' })
  readonly #endReason = signal<UnwantedEnd | null>(null)
  readonly #isStorageBlocked = signal(false)
  #scope = new SessionScope(noIdentity)
  /** The state and the contact's id of the last `auth` event. */
  #lastEmitted = 'anonymous'

  readonly endReason: ReadonlySignal<UnwantedEnd | null> = this.#endReason
  readonly isStorageBlocked: ReadonlySignal<boolean> = this.#isStorageBlocked
  readonly status: ReadonlySignal<SessionStatus> = computed(() => statusOf(this.#state.value))
  readonly authState: ReadonlySignal<AuthState> = computed(() => authStateOf(this.#state.value))
  readonly contact: ReadonlySignal<CurrentContact | null> = computed(() => contactOf(this.#state.value))
  readonly scopeKey: ReadonlySignal<string> = computed(() => scopeOf(this.#state.value)?.key ?? '')
  readonly isReady: ReadonlySignal<boolean> = computed(() => scopeOf(this.#state.value)?.isReady.value ?? false)

  constructor(deps: SessionStoreDeps) {
    this.#deps = deps
    this.#isStorageBlocked.value = deps.identity.isBlocked()
  }

  get state(): SessionState {
    return this.#state.peek()
  }

  /** The current scope. Before `start()` it is an empty one, after the end of the widget the last one, which has ended. */
  get scope(): SessionScope {
    return this.#scope
  }

  /** Ends the current scope and begins another one. From now on nothing of the former scope is shown or sent. */
  changeScope(
    kind: Exclude<SessionState['kind'], 'inactive' | 'identified'>,
    identity: StoredIdentity,
    { keepUnsent = false, keepWords = false, ended = this.#endReason.peek() }: ScopeChange = {},
  ): SessionScope {
    this.#scope.end('Natter: the session has ended')
    const scope = new SessionScope(identity)
    this.#scope = scope
    updateState(() => {
      this.#state.value = { kind, scope }
      this.#endReason.value = ended
      this.#isStorageBlocked.value = this.#deps.identity.isBlocked()
      this.#deps.onScopeChange(scope, { keepUnsent, keepWords })
    })
    return scope
  }

  /** Changes the state without a new scope, and calls `notify` in the same batch. */
  changeState(next: SessionState, notify: () => void = () => {}): void {
    this.update(() => {
      this.#state.value = next
      if (next.kind === 'identified') this.#endReason.value = null
      notify()
    })
  }

  /** Makes changes in one batch after the identity has been written. */
  update(change: () => void): void {
    updateState(() => {
      this.#isStorageBlocked.value = this.#deps.identity.isBlocked()
      change()
    })
  }

  /** Emits `auth`, unless the last `auth` event had the same state and contact. */
  emitAuthChange(reason: AuthReason): void {
    const change = { state: this.authState.peek(), contact: this.contact.peek(), reason }
    const key = change.state + (change.contact?.id ?? '')
    if (key === this.#lastEmitted) return
    this.#lastEmitted = key
    this.#deps.emit('auth', change)
  }

  dismissEndReason = (): void =>
    updateState(() => {
      this.#endReason.value = null
    })

  /** Ends the session's scope because the widget is destroyed. */
  deactivate(): void {
    this.#scope.end('Natter was destroyed')
    updateState(() => {
      this.#state.value = { kind: 'inactive' }
    })
  }
}

const scopeOf = (state: SessionState) => (state.kind === 'inactive' ? undefined : state.scope)

const contactOf = (state: SessionState) => (state.kind === 'identified' ? state.contact : null)
