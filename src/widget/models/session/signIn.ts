import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { BotProfile } from '../../../contract/index.ts'
import type { Backoff } from '../../api/backoff.ts'
import type { Emitter } from '../../loader/events.ts'
import { updateState } from '../updateState.ts'
import type { SessionCore } from './sessionModel.ts'
import { nextSignInState, type SignInEvent, type SignInState } from './signInState.ts'
import type { SiteSignIn } from './siteSignIn.ts'
import { untilTrue } from './untilTrue.ts'

/** What the view needs to know of the site's own sign-in. */
export interface SignInModel {
  /** Nothing of the contact may be shown. */
  readonly isViewHidden: ReadonlySignal<boolean>
  /** The site can't be reached, and is asked again. */
  readonly isUnreachable: ReadonlySignal<boolean>
  /** The site's answer can't be used: the visitor can have it asked again. */
  readonly hasFailed: ReadonlySignal<boolean>
  /** Nobody is signed in, and the bot talks to contacts only. */
  readonly isRequired: ReadonlySignal<boolean>
  /** Asks the page to have the visitor sign in, and the site whether somebody has. */
  request(): void
  /** Asks the site again. */
  retry(): void
}

/** What a `SiteSignIn` needs of the model that it works for. */
export interface SignInStore {
  readonly state: ReadonlySignal<SignInState>
  dispatch(event: SignInEvent): void
}

export interface SignInDeps {
  tokenUrl: string | undefined
  session: Pick<SessionCore, 'authState'>
  profile: ReadonlySignal<BotProfile | null>
  emit: Emitter['emit']
  backoff: Backoff
  /** The widget's end. */
  abortSignal: AbortSignal
  /** Fetches the code that asks the site: most sites don't need it. */
  loadSite(store: SignInStore): Promise<SiteSignIn>
}

/** Stands between the session and the view: nothing of a contact is shown until the site has said that they are signed in. */
export class SignIn implements SignInModel {
  readonly #deps: SignInDeps
  readonly #state: Signal<SignInState>
  readonly #isKnown: ReadonlySignal<boolean>
  readonly #isAnswered: ReadonlySignal<boolean>
  #site: SiteSignIn | undefined
  #loading: Promise<SiteSignIn | undefined> | undefined

  readonly isViewHidden: ReadonlySignal<boolean>
  /** Nor may the visitor be told that there is anything new. */
  readonly isSilent: ReadonlySignal<boolean>
  readonly isUnreachable: ReadonlySignal<boolean>
  readonly hasFailed: ReadonlySignal<boolean>
  readonly isRequired: ReadonlySignal<boolean>
  /** The site has not answered in this page yet: what an anonymous visitor begins to write may be the contact's whom it names. */
  readonly isFirstAnswerPending: ReadonlySignal<boolean>

  constructor(deps: SignInDeps) {
    const { tokenUrl, session, profile } = deps
    this.#deps = deps
    const state = signal<SignInState>(tokenUrl ? 'unasked' : 'confirmed')
    this.#state = state
    const isAnonymous = computed(() => session.authState.value === 'anonymous')
    const isOneOf = (...states: SignInState[]) => states.includes(state.value)
    // An anonymous chat goes on without an answer.
    this.#isKnown = computed(
      () => isOneOf('confirmed') || (isAnonymous.value && isOneOf('unreachable', 'notAsked', 'failed')),
    )
    this.isViewHidden = computed(() => !isAnonymous.value && !isOneOf('confirmed'))
    this.isSilent = computed(() => !isAnonymous.value && !isOneOf('stale', 'confirmed'))
    this.isUnreachable = computed(() => isOneOf('unreachable'))
    this.hasFailed = computed(() => isOneOf('failed'))
    this.isFirstAnswerPending = computed(() => isOneOf('unasked', 'firstAsked'))
    this.#isAnswered = computed(() => !this.isFirstAnswerPending.value)
    this.isRequired = computed(() => isAnonymous.value && profile.value?.visitors === 'contacts')
  }

  request = (): void => {
    this.#deps.emit('signin')
    void this.refresh()
  }

  retry = (): void => void this.check()

  /** The chat is opened, or a stored session is about to be shown: asks unless the site is being asked already. */
  check(): Promise<void> {
    return this.#withSite(site => site.check())
  }

  /** The page says that somebody may have signed in or out. Resolves when it is known; never rejects. */
  refresh(): Promise<void> {
    return this.#withSite(site => site.refresh())
  }

  /** The platform has called this token expired. */
  handleExpired(token: string): void {
    void this.#withSite(site => site.handleExpired(token))
  }

  /** The platform has said who the contact is, after a login of this tab, one of another tab, or a page load. */
  handleIdentified(how: { isOwnLogin: boolean }): void {
    void this.#withSite(site => site.handleIdentified(how))
  }

  /** The page has been hidden, or is visible again. */
  handleVisibility(): void {
    void this.#withSite(site => site.handleVisibility())
  }

  /** The page is about to stop: the browser shows its last frame again before it goes on. */
  conceal(): void {
    void this.#withSite(site => site.conceal())
  }

  /** Asks the site if need be. Resolves when it is known who uses the page, or when an anonymous chat has to go on without. */
  whenKnown(): Promise<void> {
    if (this.#state.peek() !== 'confirmed') void this.check()
    return untilTrue(this.#isKnown, this.#deps.abortSignal)
  }

  /**
   * Resolves when the site has answered the first question of this page, can't be reached, or hasn't been asked. An anonymous
   * visitor's messages wait for that: a contact's conversation never takes over what was sent anonymously.
   */
  async whenFirstAnswered(abortSignal: AbortSignal): Promise<void> {
    if (this.#state.peek() === 'firstAsked') await untilTrue(this.#isAnswered, abortSignal)
  }

  #dispatch = (event: SignInEvent): void =>
    updateState(() => {
      this.#state.value = nextSignInState(this.#state.peek(), event)
    })

  /** Without `tokenUrl` nothing. Else `fn` runs at once, or as soon as the code that asks the site has been fetched. */
  async #withSite(fn: (site: SiteSignIn) => void | Promise<void>): Promise<void> {
    if (!this.#deps.tokenUrl) return
    // Once: each has a timer of its own.
    this.#loading ??= this.#load()
    const site = this.#site ?? (await this.#loading)
    if (site) await fn(site)
  }

  async #load(): Promise<SiteSignIn | undefined> {
    const { loadSite, backoff, abortSignal } = this.#deps
    for (let tries = 0; !abortSignal.aborted; tries++) {
      try {
        const site = await loadSite({ state: this.#state, dispatch: this.#dispatch })
        // The page may have destroyed the widget meanwhile, which then asks nobody any more.
        if (abortSignal.aborted) return undefined
        this.#site = site
        return site
      } catch {
        this.#dispatch({ type: 'unreachable' })
        await backoff.wait(tries, abortSignal)
      }
    }
    return undefined
  }
}
