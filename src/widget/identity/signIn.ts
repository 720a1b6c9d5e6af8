import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { BotProfile } from '../../contract/index.ts'
import type { Backoff } from '../api/backoff.ts'
import { untilTrue } from '../async/untilTrue.ts'
import { withRetries } from '../async/withRetries.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'
import type { Emitter } from '../loader/events.ts'
import { updateState } from '../updateState.ts'
import { nextSignInState, type SignInEvent, type SignInState, type SignInStore } from './signInState.ts'
import type { SiteSignIn } from './siteSignIn.ts'
import type { VisitorSession } from './visitorSession.ts'

/** The state of the site's own sign-in, as far as the view uses it. */
export type SignInModel = Pick<
  SignIn,
  'isViewHidden' | 'isUnreachable' | 'hasFailed' | 'isRequired' | 'canWrite' | 'request' | 'retry'
>

interface SignInDeps {
  tokenUrl: string | undefined
  session: Pick<VisitorSession, 'authState' | 'status'>
  profile: ReadonlySignal<BotProfile | null>
  emit: Emitter['emit']
  clock: Clock
  page: Pick<Page, 'isHidden'>
  backoff: Backoff
  /** The site is asked because the page calls for it: somebody may have signed in or out. */
  onRefresh(): void
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
  /** Fetches the code that asks the site. It is a chunk of its own, because most sites don't use `tokenUrl`. */
  loadSite(store: SignInStore): Promise<SiteSignIn>
}

/** A visitor without a stored contact waits this long for the site's answer, and goes on anonymously then. */
const lateMs = 3000

/** Hides a contact's session from the view until the site has confirmed that the contact is signed in. */
export class SignIn {
  readonly #deps: SignInDeps
  readonly #state: Signal<SignInState>
  #site: SiteSignIn | undefined
  #loading: Promise<SiteSignIn | undefined> | undefined
  #cancelTimer = () => {}

  /** Whether the view must not show anything of the contact. */
  readonly isViewHidden: ReadonlySignal<boolean>
  /** Whether the launcher and the page's title must not show that there are unread messages. */
  readonly isSilent: ReadonlySignal<boolean>
  /** Whether the site doesn't answer. The widget keeps trying. */
  readonly isUnreachable: ReadonlySignal<boolean>
  /** Whether the site has given an invalid answer. The visitor can retry. */
  readonly hasFailed: ReadonlySignal<boolean>
  /** Whether the visitor has to sign in: nobody is, and the bot talks to contacts only. */
  readonly isRequired: ReadonlySignal<boolean>
  /**
   * Whether the visitor may write. False while nobody knows whose the text would be: while the site is asked or has still to
   * confirm the contact, and while a login is under way in any tab.
   */
  readonly canWrite: ReadonlySignal<boolean>
  /** Whether messages are sent. They wait until the site has said whose they are. */
  readonly canSend: ReadonlySignal<boolean>

  constructor(deps: SignInDeps) {
    const { tokenUrl, session, profile, abortSignal } = deps
    this.#deps = deps
    const state = signal<SignInState>(tokenUrl ? 'unasked' : 'confirmed')
    this.#state = state
    const isAnonymous = computed(() => session.authState.value === 'anonymous')
    const isOneOf = (...states: SignInState[]) => states.includes(state.value)
    this.isViewHidden = computed(() => !isAnonymous.value && !isOneOf('confirmed'))
    this.isSilent = computed(() => !isAnonymous.value && !isOneOf('stale', 'confirmed'))
    this.isUnreachable = computed(() => isOneOf('late'))
    this.hasFailed = computed(() => isOneOf('failed'))
    this.canSend = computed(() => (isAnonymous.value ? !isOneOf('asked') : !this.isSilent.value))
    this.isRequired = computed(() => isAnonymous.value && profile.value?.visitors === 'contacts')
    this.canWrite = computed(
      () => session.status.value !== 'identifying' && !this.isViewHidden.value && this.canSend.value,
    )
    abortSignal.addEventListener('abort', () => this.#cancelTimer())
  }

  /** Emits `signin`, so that the page lets the visitor sign in, and asks the site who is signed in. */
  request = (): void => {
    this.#deps.emit('signin')
    void this.refresh()
  }

  /** Asks the site again. */
  retry = (): void => void this.check()

  /** Asks the site unless a question is already open. Called when the chat opens and before a stored session is shown. */
  check(): Promise<void> {
    return this.askSite(site => site.check())
  }

  /** Asks the site because somebody may have signed in or out. Resolves when the site has answered; never rejects. */
  refresh(): Promise<void> {
    // Also while a question is open: the page may have signed somebody else in since it was asked.
    this.#deps.onRefresh()
    return this.askSite(site => site.refresh())
  }

  /** Calls `fn`, which asks the site. Its code may take long to come, and nobody can write from now on. */
  askSite(fn: (site: SiteSignIn) => void | Promise<void>): Promise<void> {
    if (this.#state.peek() === 'unasked') this.#dispatch({ type: 'asked' })
    return this.withSite(fn)
  }

  /** Calls `fn` as soon as the code that asks the site is loaded. Does nothing without `tokenUrl`. */
  async withSite(fn: (site: SiteSignIn) => void | Promise<void>): Promise<void> {
    if (!this.#deps.tokenUrl) return
    // Create a single `SiteSignIn`, because each has its own timer.
    this.#loading ??= this.#load()
    const site = this.#site ?? (await this.#loading)
    if (site) await fn(site)
  }

  /** Asks the site unless it has confirmed the session. */
  checkUnlessConfirmed(): void {
    if (this.#state.peek() !== 'confirmed') void this.check()
  }

  /** Called when the visitor has sent something. A late answer of the site must not take their conversation away. */
  noteSent(): void {
    if (nextSignInState(this.#state.peek(), { type: 'sent' }) === this.#state.peek()) return
    this.#site?.stopAsking()
    this.#dispatch({ type: 'sent' })
  }

  /** Resolves when messages may be sent, or when `abortSignal` aborts. */
  untilCanSend = (abortSignal: AbortSignal): Promise<void> => untilTrue(this.canSend, abortSignal)

  #dispatch = (event: SignInEvent): void =>
    updateState(() => {
      this.#state.value = nextSignInState(this.#state.peek(), event)
      if (event.type === 'asked') this.#startTimer()
    })

  #startTimer(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#deps.clock.setTimeout(() => {
      // A hidden page does not ask before it is visible.
      if (this.#deps.page.isHidden()) this.#startTimer()
      else this.#dispatch({ type: 'late' })
    }, lateMs)
  }

  async #load(): Promise<SiteSignIn | undefined> {
    const { loadSite, backoff, abortSignal } = this.#deps
    const load = () => loadSite({ state: this.#state, dispatch: this.#dispatch })
    const site = await withRetries(load, { backoff, abortSignal })
    // The page may have destroyed the widget in the meantime.
    if (!site || abortSignal.aborted) return undefined
    this.#site = site
    return site
  }
}
