import type { Hours, Opening } from './hours.ts'
import { type Weekday, weekdays } from './weekdays.ts'

const dayMs = 24 * 60 * 60_000
/** How far ahead the openings are told. */
const horizonMs = 7 * dayMs

/** Whether people of the team are there; always, without hours. */
export function isOpen(hours: Hours | null, now: number): boolean {
  const next = spansAfter(hours, now).next().value
  return !next || next.from <= now
}

/** The time `ms` after `start`, where only the time counts in which people of the team are there. */
export function addOpenTime(hours: Hours | null, start: number, ms: number): number {
  let end = start
  let left = ms
  for (const { from, until } of spansAfter(hours, start)) {
    end = Math.max(end, from)
    // Hours over midnight may overlap those of the next day.
    const room = Math.max(0, until - end)
    if (left <= room) break
    left -= room
    end += room
  }
  return end + left
}

/** The present and the next openings, of seven days but at least one, in the order in which they begin; none without hours. */
export function openingsAfter(hours: Hours | null, now: number): Opening[] {
  const openings: Opening[] = []
  for (const { from, until } of spansAfter(hours, now)) {
    if (openings.length > 0 && from > now + horizonMs) break
    openings.push({ from: new Date(from).toISOString(), until: new Date(until).toISOString() })
  }
  return openings
}

/** One a time zone: each holds memory of its own, which is freed late. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(timeZone, format)
  return format
}

/** Yields each opening that ends after `now`, one a day at most. There is always another: holidays are few. None without hours. */
function* spansAfter(hours: Hours | null, now: number) {
  if (!hours) return
  const { timeZone, week, holidays } = hours
  const format = formatIn(timeZone)
  /** What clocks in the time zone show, as if it were UTC. */
  const toLocal = (at: number): number => Date.parse(`${format.format(at)}Z`)
  /** A time that clocks skip is moved to after the gap. Of two with the same local time, the first one is meant. */
  const toInstant = (local: number): number => {
    const [before, after] = [local - dayMs, local + dayMs].map(at => local - (toLocal(at) - at)) as [number, number]
    return toLocal(before) === local || toLocal(after) !== local ? before : after
  }
  // What began yesterday may last until today.
  for (let date = Math.floor(toLocal(now) / dayMs) * dayMs - dayMs; ; date += dayMs) {
    // Sunday is 0: -1 is the last.
    const given = week[weekdays.at(new Date(date).getUTCDay() - 1) as Weekday]
    if (given === undefined || holidays.includes(new Date(date).toISOString().slice(0, 10))) continue
    const [from = 0, to = 0] = given.split('-').map(time => Date.parse(`1970-01-01T${time}Z`))
    const span = { from: toInstant(date + from), until: toInstant(date + to + (to > from ? 0 : dayMs)) }
    // A gap of the clock may swallow the whole.
    if (span.until > Math.max(now, span.from)) yield span
  }
}
