import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Strings } from '../i18n/en.ts'
import { nextTask } from './nextTask.ts'

const dayMs = 24 * 60 * 60_000

export interface Dates {
  /** Formats a time such as `09:42`. */
  time(at: string): string
  /** Returns `Today`, `Yesterday`, or weekday, day and month, with the year unless it is the current one. */
  day(at: string): string
  /** Returns `today`, `tomorrow`, the weekday, or, a week ahead, weekday, day and month. */
  comingDay(at: string): string
}

export function createDates(
  strings: Pick<Strings, 'lang' | 'today' | 'yesterday'>,
  now: () => Date = () => new Date(),
): Dates {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(strings.lang, options).format
  // Created on first use, because the first formatters of a page are slow.
  let time: Intl.DateTimeFormat['format'] | undefined
  let dateWithoutYear: Intl.DateTimeFormat['format'] | undefined
  return {
    time(at) {
      time ||= format({ timeStyle: 'short' })
      return time(new Date(at))
    },
    day: at => {
      const day = now()
      // The clock may be behind the platform's.
      if (isSameDay(at, day) || new Date(at) > day) return strings.today
      day.setDate(day.getDate() - 1)
      if (isSameDay(at, day)) return strings.yesterday
      const moment = new Date(at)
      if (moment.getFullYear() !== now().getFullYear()) return format({ dateStyle: 'full' })(moment)
      dateWithoutYear ||= format({ weekday: 'long', day: 'numeric', month: 'long' })
      return dateWithoutYear(moment)
    },
    comingDay(at) {
      const moment = new Date(at)
      const days = Math.round((new Date(at).setHours(0, 0, 0, 0) - now().setHours(0, 0, 0, 0)) / dayMs)
      if (days < 2) return new Intl.RelativeTimeFormat(strings.lang, { numeric: 'auto' }).format(days, 'day')
      return format({ weekday: 'long', ...(days > 6 && { day: 'numeric', month: 'long' }) })(moment)
    },
  }
}

/** Whether two times are on the same day in the visitor's time zone. */
export function isSameDay(one: string, other: string | Date): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

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
  /** `null` until the formatters have been loaded. */
  const today = signal<string | null>(null)
  const findToday = () => {
    today.value = new Date().toDateString()
  }
  return {
    dates: computed(() => (today.value ? createDates(strings.value) : null)),
    async load() {
      try {
        // Half of the time is for data that all formatters share. A collator loads only that.
        new Intl.Collator()
        await nextTask()
        createDates(strings.peek()).time(new Date().toISOString())
        await nextTask()
      } finally {
        findToday()
        // After midnight what was today is yesterday, as soon as the page is shown again.
        document.addEventListener('visibilitychange', findToday, { signal: abortSignal })
      }
    },
  }
}
