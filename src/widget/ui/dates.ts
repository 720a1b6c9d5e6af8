import type { Strings } from '../i18n/en.ts'

export interface Dates {
  /** Formats a time such as `09:42`. */
  time(at: string): string
  /** Returns `Today`, `Yesterday`, or weekday, day and month, with the year unless it is the current one. */
  day(at: string): string
}

export function createDates(strings: Strings, now: () => Date = () => new Date()): Dates {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(strings.lang, options).format
  // Created on first use, because the first formatters of a page are slow: see lazyDates.ts.
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
  }
}

/** Whether two times are on the same day in the visitor's time zone. */
export function isSameDay(one: string, other: string | Date): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}
