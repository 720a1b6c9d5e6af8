import { type ReadonlySignal, signal } from '@preact/signals-core'
import { en, type OwnStrings, type Strings } from '../i18n/en.ts'
import { visitorsVariant } from '../i18n/visitorsVariant.ts'
import { updateState } from '../models/updateState.ts'
import type { Clock, Environment } from './environment.ts'

/** The texts of the widget, in whichever language it speaks. */
export interface StringsModel {
  readonly strings: ReadonlySignal<Strings>
  /** Whether the first ones have come, or have taken too long to wait for: the panel can be shown. */
  readonly areStringsReady: ReadonlySignal<boolean>
  /** Speaks another language as soon as its texts are there; English when they can't be had. */
  setLocale(tags: string): void
  /** Fetches the texts again where they could not be fetched. */
  retry(): void
}

interface StringsDeps extends Pick<Environment, 'locales'> {
  clock: Clock
  abortSignal: AbortSignal
  /** BCP 47 tags with commas between. */
  locale: string
  /** The site's own texts, which count in every language. */
  ownStrings: OwnStrings | undefined
}

/** How long the opening panel waits for its language. */
const languageTimeoutMs = 1000

export function createStrings({ locales, clock, abortSignal, locale, ownStrings }: StringsDeps): StringsModel {
  const strings = signal<Strings>({ ...en, ...ownStrings, lang: en.lang })
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

  async function setLocale(tags: string): Promise<void> {
    wantedLocale = tags
    hasFailed = false
    // English comes with the core.
    const translated: Partial<Strings> = /^en([-_,]|$)/i.test(tags) ? {} : await load(tags)
    // An earlier answer may come later.
    if (wantedLocale !== tags) return
    updateState(() => {
      // Always a language that `Intl` accepts, whatever the site's own strings hold.
      strings.value = { ...en, ...translated, ...ownStrings, lang: translated.lang ?? visitorsVariant(en.lang) }
      areStringsReady.value = true
    })
  }

  void setLocale(locale)
  const cancelTimer = clock.setTimeout(
    () =>
      updateState(() => {
        areStringsReady.value = true
      }),
    languageTimeoutMs,
  )
  abortSignal.addEventListener('abort', cancelTimer)

  return {
    strings,
    areStringsReady,
    setLocale,
    retry() {
      if (hasFailed) void setLocale(wantedLocale)
    },
  }
}
