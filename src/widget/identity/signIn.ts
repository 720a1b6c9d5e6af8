import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { BotProfile } from '../../contract/index.ts'
import type { Backoff } from '../api/backoff.ts'
import { withRetries } from '../async/withRetries.ts'
import { updateState } from '../conversation/updateState.ts'
import type { Clock } from '../environment/clock.ts'
import type { Emitter } from '../loader/events.ts'
import type { SessionCore } from './sessionModel.ts'
import {
  mayChangePerson,
  nextSignInState,
  type SignInEvent,
  type SignInState,
  type SignInStore,
} from './signInState.ts'
import type { SiteSignIn } from './siteSignIn.ts'
import { untilTrue } from './untilTrue.ts'

/** The state of the site's own sign-in, as far as the view uses it. */
export interface SignInModel {
  /** Whether the view must not show anything of the contact. */
  readonly isViewHidden: ReadonlySignal<boolean>
  /** Whether the site can't be reached. The widget keeps trying. */
  readonly isUnreachable: ReadonlySignal<boolean>
  /** Whether the site has given an invalid answer. The visitor can retry. */
  readonly hasFailed: ReadonlySignal<boolean>
  /** Whether the visitor has to sign in: nobody is, and the bot talks to contacts only. */
  readonly isRequired: ReadonlySignal<boolean>
  /** Whether the visitor may write. False while a login is under way, in any tab: nobody knows yet whose the text would be. */
  readonly canWrite: ReadonlySignal<boolean>
  /** Emits `signin`, so that the page lets the visitor sign in, and asks the site who is signed in. */
  request(): void
  /** Asks the site again. */
  retry(): void
}

export interface SignInDeps {
  tokenUrl: string | undefined
  session: Pick<SessionCore, 'authState' | 'status'>
  profile: ReadonlySignal<BotProfile | null>
  emit: Emitter['emit']
  clock: Clock
  backoff: Backoff
  /** What has been written until now must not become the contact's whom the site names next. */
  excludeFromLogin(): void
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
  /** Fetches the code that asks the site. It is a chunk of its own, because most sites don't use `tokenUrl`. */
  loadSite(store: SignInStore): Promise<SiteSignIn>
}

/** Hides a contact's session from the view until the site has confirmed that the contact is signed in. */
export class SignIn implements SignInModel {
  readonly #deps: SignInDeps
  readonly #state: Signal<SignInState>
  #site: SiteSignIn | undefined
  #loading: Promise<SiteSignIn | undefined> | undefined
  /** When the last question to the site began; 0 if there was none. */
  readonly #askedAt = signal(0)
  /** How often the code that asks the site could not be fetched; 0 once it is loaded. */
  readonly #loadFailures = signal(0)

  readonly isViewHidden: ReadonlySignal<boolean>
  /** Whether the launcher and the page's title must not show that there are unread messages. */
  readonly isSilent: ReadonlySignal<boolean>
  readonly isUnreachable: ReadonlySignal<boolean>
  readonly hasFailed: ReadonlySignal<boolean>
  readonly isRequired: ReadonlySignal<boolean>
  readonly canWrite: ReadonlySignal<boolean>
  /**
   * Whether messages wait until the site has said whose they are. An anonymous visitor's wait only for the first attempt to
   * ask, because a contact's conversation never takes over messages sent anonymously.
   */
  readonly isOnHold: ReadonlySignal<boolean>
  /**
   * Until when the messages of all tabs are this visitor's, in milliseconds: the site has answered a question that was asked
   * then. Who has written since then in another tab, only an answer to that tab can say. `null` while an answer is awaited.
   */
  readonly confirmedUntil: ReadonlySignal<number | null>

  constructor(deps: SignInDeps) {
    const { tokenUrl, session, profile } = deps
    this.#deps = deps
    const state = signal<SignInState>(tokenUrl ? 'unasked' : 'confirmed')
    this.#state = state
    const isAnonymous = computed(() => session.authState.value === 'anonymous')
    const isOneOf = (...states: SignInState[]) => states.includes(state.value)
    const canNotAsk = computed(() => this.#loadFailures.value > 0)
    this.isViewHidden = computed(() => !isAnonymous.value && !isOneOf('confirmed'))
    this.isSilent = computed(() => !isAnonymous.value && !isOneOf('stale', 'confirmed'))
    this.isUnreachable = computed(() => isOneOf('unreachable') || canNotAsk.value)
    this.hasFailed = computed(() => isOneOf('failed'))
    this.isOnHold = computed(() => (isAnonymous.value ? isOneOf('asked') : this.isSilent.value))
    this.confirmedUntil = computed(() => {
      if (!tokenUrl) return Infinity
      return this.isOnHold.value || this.isViewHidden.value ? null : this.#askedAt.value
    })
    this.isRequired = computed(() => isAnonymous.value && profile.value?.visitors === 'contacts')
    this.canWrite = computed(() => session.status.value !== 'identifying')
  }

  request = (): void => {
    this.#deps.emit('signin')
    void this.refresh()
  }

  retry = (): void => void this.check()

  /** Asks the site unless a question is already open. Called when the chat opens and before a stored session is shown. */
  check(): Promise<void> {
    this.#markAsked()
    return this.#withSite(site => site.check())
  }

  /** Asks the site because somebody may have signed in or out. Resolves when the site has answered; never rejects. */
  refresh(): Promise<void> {
    // Also while a question is open: the page may have signed somebody else in since it was asked.
    this.#deps.excludeFromLogin()
    this.#markAsked()
    return this.#withSite(site => site.refresh())
  }

  /** Handles a token that the platform has rejected as expired. */
  handleExpired(token: string): void {
    void this.#withSite(site => site.handleExpired(token))
  }

  /** Called when the platform has identified the contact, after a login in any tab or after a page load. */
  handleIdentified(how: { isOwnLogin: boolean }): void {
    void this.#withSite(site => site.handleIdentified(how))
  }

  /** Called when the page becomes hidden or visible. */
  handleVisibility(): void {
    void this.#withSite(site => site.handleVisibility())
  }

  /** Hides the contact before the page freezes, because the browser shows the last frame again before the page resumes. */
  conceal(): void {
    void this.#withSite(site => site.conceal())
  }

  /** Asks the site unless it has confirmed the session. */
  checkUnlessConfirmed(): void {
    if (this.#state.peek() !== 'confirmed') void this.check()
  }

  /**
   * Resolves to `true` when messages may be sent. `shouldGiveUp` is called each time the code that asks the site could not be
   * fetched. If it returns `true`, this resolves to `false`.
   */
  async whenOffHold(abortSignal: AbortSignal, shouldGiveUp: (tries: number) => boolean): Promise<boolean> {
    for (let tries = 0; this.isOnHold.peek(); tries++) {
      const before = this.#loadFailures.peek()
      const hasChanged = computed(() => !this.isOnHold.value || this.#loadFailures.value > before)
      await untilTrue(hasChanged, abortSignal)
      if (abortSignal.aborted) return false
      if (this.isOnHold.peek() && shouldGiveUp(tries)) return false
    }
    return true
  }

  #dispatch = (event: SignInEvent): void =>
    updateState(() => {
      if (mayChangePerson(this.#state.peek(), event)) this.#deps.excludeFromLogin()
      if (event.type === 'asked') this.#askedAt.value = this.#deps.clock.now()
      this.#state.value = nextSignInState(this.#state.peek(), event)
    })

  /** The code that asks the site may take long to come, and messages wait for the answer from now on. */
  #markAsked(): void {
    if (this.#state.peek() === 'unasked') this.#dispatch({ type: 'asked' })
  }

  /** Calls `fn` as soon as the code that asks the site is loaded. Does nothing without `tokenUrl`. */
  async #withSite(fn: (site: SiteSignIn) => void | Promise<void>): Promise<void> {
    if (!this.#deps.tokenUrl) return
    // Create a single `SiteSignIn`, because each has its own timer.
    this.#loading ??= this.#load()
    const site = this.#site ?? (await this.#loading)
    if (site) await fn(site)
  }

  async #load(): Promise<SiteSignIn | undefined> {
    const { loadSite, backoff, abortSignal } = this.#deps
    const load = () => loadSite({ state: this.#state, dispatch: this.#dispatch })
    const onFailure = (failures: number) => this.#setLoadFailures(failures)
    const site = await withRetries(load, { backoff, abortSignal, onFailure })
    // The page may have destroyed the widget in the meantime.
    if (!site || abortSignal.aborted) return undefined
    this.#site = site
    this.#setLoadFailures(0)
    return site
  }

  #setLoadFailures(count: number): void {
    updateState(() => {
      this.#loadFailures.value = count
    })
  }
}
