import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Strings } from '../i18n/en.ts'
import { createDates, type Dates } from './dates.ts'
import { nextTask } from './nextTask.ts'

/** The formatters for the current language, and for the current day. */
export interface LazyDates {
  /** `null` until the browser's formatters have been loaded. */
  readonly dates: ReadonlySignal<Dates | null>
  load(): void
}

/**
 * Creating the first `Intl` formatters of a page takes 50 ms on a slow phone, as long as opening the panel. So this is done
 * in separate tasks, after the composer has been rendered.
 */
export function createLazyDates(strings: ReadonlySignal<Strings>, abortSignal: AbortSignal): LazyDates {
  const areFormattersLoaded = signal(false)
  const today = signal(new Date().toDateString())
  document.addEventListener('visibilitychange', () => (today.value = new Date().toDateString()), {
    signal: abortSignal,
  })
  const current = computed(() => {
    // After midnight what was today is yesterday, as soon as the page is shown again.
    void today.value
    return createDates(strings.value)
  })
  return {
    dates: computed(() => (areFormattersLoaded.value ? current.value : null)),
    async load() {
      try {
        // Half of the time is for data that all formatters share. A collator loads only that.
        new Intl.Collator()
        await nextTask()
        current.peek().time(new Date().toISOString())
        await nextTask()
      } finally {
        areFormattersLoaded.value = true
      }
    },
  }
}
