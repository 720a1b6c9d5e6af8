import { signal } from '@preact/signals-core'
import type { Clock } from '../environment/clock.ts'
import { en, type OwnStrings, type Strings, visitorsEnglish } from '../i18n/en.ts'
import { setState, updateState } from '../updateState.ts'
import type { Environment } from './environment.ts'

interface StringsDeps extends Pick<Environment, 'locales'> {
  clock: Clock
  abortSignal: AbortSignal
  /** BCP 47 tags, separated by commas. */
  locale: string
  /** The site's own texts, which replace ours in every language. */
  ownStrings: OwnStrings | undefined
}

/** How long the opening panel waits for its language. */
const languageTimeoutMs = 1000

/** The texts of the widget in the current language. */
export function createStrings(deps: StringsDeps) {
  const { locales, clock, abortSignal, locale, ownStrings } = deps
  const strings = signal<Strings>({ ...en, ...ownStrings, lang: en.lang })
  /** Whether the panel can be shown: the first texts are loaded, or waiting for them has taken too long. */
  const areStringsReady = signal(false)
  let wantedLocale = locale
  let hasFailed = false

  async function load(tags: string): Promise<Partial<Strings>> {
    try {
      const { textsIn } = await locales()
      return await textsIn(tags)
    } catch {
      hasFailed = true
      return {}
    }
  }

  /** Changes the language as soon as its texts are loaded. If they can't be loaded, the texts are English. */
  async function setLocale(tags: string): Promise<void> {
    wantedLocale = tags
    hasFailed = false
    // English comes with the core.
    const translated: Partial<Strings> = /^en([-_,]|$)/i.test(tags) ? {} : await load(tags)
    // The language may have been changed again while these texts were loading.
    if (wantedLocale !== tags) return
    updateState(() => {
      // `lang` comes last: the site's own strings may contain one that `Intl` rejects.
      strings.value = { ...en, ...translated, ...ownStrings, lang: translated.lang ?? visitorsEnglish() }
      areStringsReady.value = true
    })
  }

  void setLocale(locale)
  const cancelTimer = clock.setTimeout(() => setState(areStringsReady, true), languageTimeoutMs)
  abortSignal.addEventListener('abort', cancelTimer)

  return {
    strings,
    areStringsReady,
    setLocale,
    /** Fetches the texts again if the last attempt failed. */
    retry() {
      if (hasFailed) void setLocale(wantedLocale)
    },
  }
}
