import * as v from 'valibot'
import { timestamp } from './formats.ts'
import { fieldMessage, maxEntries, object } from './validation.ts'
import { weekdays } from './weekdays.ts'

export const maxHolidays = 100
const timePattern = '(?:[01]\\d|2[0-3]):[0-5]\\d'

/** From when to when the team is there on a day: `09:00-17:00`. An end that is not after the beginning is on the next day. */
export const dayHoursSchema = v.pipe(
  v.string(),
  v.regex(
    new RegExp(`^${timePattern}-${timePattern}$`),
    fieldMessage('invalid_format', 'Must be two times such as 09:00-17:00.'),
  ),
)

export const timeZoneSchema = v.pipe(
  v.string(),
  v.check(isTimeZone, fieldMessage('invalid_format', 'Must be a time zone such as Europe/Berlin.')),
)

/** A date, `2030-12-25`. */
export const holidaySchema = v.pipe(
  v.string(),
  v.check(isDate, fieldMessage('invalid_format', 'Must be a date such as 2030-12-25.')),
)

/** The opening hours of a bot: when people of the team are there. */
export const hoursSchema = object({
  timeZone: timeZoneSchema,
  /** Of each day that has any; at least one. */
  week: v.pipe(
    object(v.partial(v.object(v.entriesFromList(weekdays, dayHoursSchema))).entries),
    v.check(week => Object.keys(week).length > 0, fieldMessage('too_short', 'Must have hours on a day at least.')),
  ),
  /** Days on which no hours begin. */
  holidays: v.pipe(v.array(holidaySchema), maxEntries(maxHolidays)),
})
export type Hours = v.InferOutput<typeof hoursSchema>

/** A time in which people of the team are there. */
export const openingSchema = object({
  from: timestamp('When it begins.'),
  until: timestamp('When it ends.'),
})
export type Opening = v.InferOutput<typeof openingSchema>

/** When the responder also answers visitors who wait for a person. */
export const answersWhileWaitingChoices = ['never', 'closed', 'always'] as const

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function isDate(text: string): boolean {
  const date = new Date(text)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
