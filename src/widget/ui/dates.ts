import type { Strings } from '../strings/en.ts'

/** How the panel writes moments, in one language. */
export interface Dates {
  /** `09:42`, as that language writes it. */
  time(at: string): string
  /** `Today`, `Yesterday`, else weekday and date, with the year if it is not this one. */
  day(at: string): string
}

/** Dates in a language; one that the browser can't parse (`en_US` is common in pages) means the visitor's own. */
export function createDates(language: string, strings: Strings, now: () => Date = () => new Date()): Dates {
  const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
    try {
      return new Intl.DateTimeFormat(language || undefined, options)
    } catch {
      return new Intl.DateTimeFormat(undefined, options)
    }
  }
  const time = format({ timeStyle: 'short' })
  const thisYear = format({ weekday: 'long', day: 'numeric', month: 'long' })
  const otherYear = format({ dateStyle: 'long' })
  return {
    time: at => time.format(new Date(at)),
    day: at => {
      const date = new Date(at)
      const today = now()
      const yesterday = now()
      yesterday.setDate(today.getDate() - 1)
      if (isSameDay(date, today)) return strings.today
      if (isSameDay(date, yesterday)) return strings.yesterday
      return (date.getFullYear() === today.getFullYear() ? thisYear : otherYear).format(date)
    },
  }
}

/** Whether two moments are of one day on the visitor's clock. */
export function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString()
}
