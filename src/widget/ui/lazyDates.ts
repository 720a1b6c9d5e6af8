import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Strings } from '../i18n/en.ts'
import { createDates, type Dates } from './dates.ts'
import { nextTask } from './nextTask.ts'

/** How the panel writes moments, in the current language. */
export interface LazyDates {
  /** `null` until the browser's formatters have been loaded. */
  readonly dates: ReadonlySignal<Dates | null>
  load(): void
}

/**
 * The first formatters of a page cost a slow phone 50 ms, as much as opening the panel. So they are loaded in tasks of
 * their own, when the composer is there and can be written in.
 */
export function createLazyDates(strings: ReadonlySignal<Strings>): LazyDates {
  const areFormattersLoaded = signal(false)
  const current = computed(() => createDates(strings.value))
  return {
    dates: computed(() => (areFormattersLoaded.value ? current.value : null)),
    async load() {
      try {
        // Half of the cost is what all formatters share. A collator loads that alone.
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
