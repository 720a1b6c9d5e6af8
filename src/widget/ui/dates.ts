import type { Strings } from '../i18n/en.ts'

/** How the panel writes moments, in one language. */
export interface Dates {
  /** `09:42`, as that language writes it. */
  time(at: string): string
  /** `Today`, `Yesterday`, else the whole date. */
  day(at: string): string
}

/** Dates in the language of the texts; one that is none (`en_US` is common in pages) means the visitor's own. */
export function createDates(strings: Strings, now: () => Date = () => new Date()): Dates {
  const format = (options: Intl.DateTimeFormatOptions) => {
    try {
      return new Intl.DateTimeFormat(strings.lang, options).format
    } catch {
      return new Intl.DateTimeFormat([], options).format
    }
  }
  // Made when they are needed: see lazyDates.ts.
  let time: Intl.DateTimeFormat['format'] | undefined
  let date: Intl.DateTimeFormat['format'] | undefined
  return {
    time(at) {
      time ||= format({ timeStyle: 'short' })
      return time(new Date(at))
    },
    day: at => {
      const day = now()
      if (isSameDay(at, day)) return strings.today
      day.setDate(day.getDate() - 1)
      if (isSameDay(at, day)) return strings.yesterday
      date ||= format({ dateStyle: 'full' })
      return date(new Date(at))
    },
  }
}

/** Whether two moments are of one day on the visitor's clock. */
export function isSameDay(one: string, other: string | Date): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}
