import { createDates, type Dates } from '../../widget/ui/dates.ts'

/** One form for each category of `Intl.PluralRules` that whole numbers have in the language. */
export type PluralForms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** What depends on a language but is no text. */
export interface Format extends Dates {
  /** Selects the plural form for a number, and puts it in place of `{count}`. */
  count(forms: PluralForms, count: number): string
  number(value: number): string
  /** A part of 1. */
  percent(value: number): string
  /** A date without a time: `2026-03-04`. */
  date(date: string): string
  /** `4 min`, or `4 minutes` for what is read aloud. It has one unit, rounded down. */
  duration(ms: number, style: 'short' | 'long'): string
  dateTime(at: string): string
  /** The time if it is of today, else the day: the shortest text by which a conversation can be found. */
  moment(at: string, now: number): string
  /** The name of a day of the week; 0 is Monday. */
  weekday(index: number): string
}

const minuteMs = 60_000
const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const

export function createFormat(lang: string, texts: { today: string; yesterday: string }): Format {
  const rules = new Intl.PluralRules(lang)
  const dates = createDates({ ...texts, lang })
  const weekday = new Intl.DateTimeFormat(lang, { weekday: 'long' })
  const day = new Intl.DateTimeFormat(lang, { day: 'numeric', month: 'short' })
  const dayOfYear = new Intl.DateTimeFormat(lang, { dateStyle: 'short' })
  const dateTime = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' })
  const dateOnly = new Intl.DateTimeFormat(lang, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const number = (value: number) => value.toLocaleString(lang)
  return {
    ...dates,
    count: (forms, count) => interpolate(forms[rules.select(count)] ?? forms.other, { count: number(count) }),
    number,
    dateTime: at => dateTime.format(new Date(at)),
    percent: value => value.toLocaleString(lang, { style: 'percent' }),
    date: date => dateOnly.format(new Date(date)),
    duration(ms, unitDisplay) {
      const [unit, unitMs] = units.find(([, unitMs]) => ms >= unitMs) ?? ['minute', minuteMs]
      return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay }).format(
        Math.max(0, Math.floor(ms / unitMs)),
      )
    },
    moment(at, now) {
      const then = new Date(at)
      const today = new Date(now)
      if (then.toDateString() === today.toDateString()) return dates.time(at)
      if (now - then.getTime() < 6 * 24 * 60 * minuteMs) return weekday.format(then)
      return (then.getFullYear() === today.getFullYear() ? day : dayOfYear).format(then)
    },
    // In January 2024 the first is a Monday.
    weekday: index => weekday.format(new Date(2024, 0, 1 + index)),
  }
}

/** Replaces the placeholders `{…}` of a text. */
export function interpolate(text: string, values: Record<string, string>): string {
  return text.replace(/{(\w+)}/g, (placeholder, name: string) => values[name] ?? placeholder)
}
