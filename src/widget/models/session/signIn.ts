import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { BotProfile } from '../../../contract/index.ts'
import type { Backoff } from '../../api/backoff.ts'
import type { Emitter } from '../../loader/events.ts'
import { updateState } from '../updateState.ts'
import type { SessionCore } from './sessionModel.ts'
import type { SiteSignIn } from './siteSignIn.ts'
import { untilTrue } from './untilTrue.ts'

/**
 * What is known of the site's own sign-in. `unknown`: the site is being asked, or will be when the page is visible.
 * `unreachable`: it has not given an answer that can be used. `stale`: the page was hidden for so long that somebody else may
 * look at it next. Without `tokenUrl` it is always `confirmed`.
 */
export type SignInState = 'unknown' | 'unreachable' | 'stale' | 'confirmed'

/** What the view needs to know of it. */
export interface SignInModel {
  /** Nothing of the contact may be shown. */
  readonly isViewHidden: ReadonlySignal<boolean>
  /** The site can't be reached, and is asked again. */
  readonly isUnreachable: ReadonlySignal<boolean>
  /** Nobody is signed in, and the bot talks to contacts only. */
  readonly isRequired: ReadonlySignal<boolean>
  /** Asks the page to have the visitor sign in, and the site whether somebody has. */
  request(): void
}

export interface SignIn extends SignInModel {
  /** Nor may the visitor be told that there is anything new. */
  readonly isSilent: ReadonlySignal<boolean>
  /** With `tokenUrl`: calls `fn` at once, or as soon as what asks the site has been fetched. */
  withSite(fn: (site: SiteSignIn) => void | Promise<void>): Promise<void>
  /** Asks the site if need be. Resolves when it is known who uses the page, or when an anonymous chat has to go on without. */
  whenKnown(): Promise<void>
}

export interface SignInDeps {
  tokenUrl: string | undefined
  session: SessionCore
  profile: ReadonlySignal<BotProfile | null>
  emit: Emitter['emit']
  backoff: Backoff
  /** The widget's end. */
  abortSignal: AbortSignal
  /** Fetches what asks the site: most sites don't need it. */
  loadSite(state: Signal<SignInState>): Promise<SiteSignIn>
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { tokenUrl, session, profile, emit, backoff, abortSignal, loadSite } = deps
  const state = signal<SignInState>(tokenUrl ? 'unknown' : 'confirmed')
  const isAnonymous = computed(() => session.authState.value === 'anonymous')
  const isKnown = computed(() => state.value === 'confirmed' || (isAnonymous.value && state.value === 'unreachable'))
  const isContactIn = (...states: SignInState[]) => computed(() => !isAnonymous.value && states.includes(state.value))
  let site: SiteSignIn | undefined
  let loading: Promise<SiteSignIn | undefined> | undefined

  async function load(): Promise<SiteSignIn | undefined> {
    for (let tries = 0; !abortSignal.aborted; tries++) {
      try {
        const loaded = await loadSite(state)
        // The page may have destroyed the widget meanwhile, which then asks nobody any more.
        if (abortSignal.aborted) return undefined
        site = loaded
        return site
      } catch {
        updateState(() => {
          state.value = 'unreachable'
        })
        await backoff.wait(tries, abortSignal)
      }
    }
    return undefined
  }

  async function withSite(fn: (site: SiteSignIn) => void | Promise<void>): Promise<void> {
    if (!tokenUrl) return
    // Once: each has a timer of its own.
    loading ??= load()
    const target = site ?? (await loading)
    if (target) await fn(target)
  }

  return {
    isViewHidden: isContactIn('unknown', 'unreachable', 'stale'),
    isSilent: isContactIn('unknown', 'unreachable'),
    isUnreachable: computed(() => state.value === 'unreachable'),
    isRequired: computed(() => isAnonymous.value && profile.value?.visitors === 'contacts'),
    request() {
      emit('signin')
      void withSite(site => site.refresh())
    },
    withSite,
    whenKnown() {
      if (state.peek() !== 'confirmed') void withSite(site => site.check())
      return untilTrue(isKnown, abortSignal)
    },
  }
}
