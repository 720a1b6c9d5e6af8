import type { Strings } from '../i18n/en.ts'

/** How the panel writes moments, in one language. */
export interface Dates {
  /** `09:42`, as that language writes it. */
  time(at: string): string
  /** `Today`, `Yesterday`, else weekday, day and month, with the year unless it is the current one. */
  day(at: string): string
}

/** Dates in the language of the texts, a valid BCP 47 tag. */
export function createDates(strings: Strings, now: () => Date = () => new Date()): Dates {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(strings.lang, options).format
  // Made when they are needed, because the first ones of a page are slow: see lazyDates.ts.
  let time: Intl.DateTimeFormat['format'] | undefined
  let dateWithoutYear: Intl.DateTimeFormat['format'] | undefined
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
      const moment = new Date(at)
      if (moment.getFullYear() !== now().getFullYear()) return format({ dateStyle: 'full' })(moment)
      dateWithoutYear ||= format({ weekday: 'long', day: 'numeric', month: 'long' })
      return dateWithoutYear(moment)
    },
  }
}

/** Whether two moments are of one day on the visitor's clock. */
export function isSameDay(one: string, other: string | Date): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}
