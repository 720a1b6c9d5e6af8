import { describe, expect, test } from 'vitest'
import { en } from '../strings/en.ts'
import { createDates } from './dates.ts'

const at = (day: number, hour = 9, minute = 5) => new Date(2026, 2, day, hour, minute).toISOString()
const now = () => new Date(2026, 2, 14, 0, 30)

describe('createDates', () => {
  test('writes the time as the language does', () => {
    expect(createDates('de', en, now).time(at(14))).toBe('09:05')
    expect(createDates('en-US', en, now).time(at(14))).toMatch(/^9:05\sAM$/)
  })

  test('names today and yesterday by the visitor’s calendar, and other days in full', () => {
    const dates = createDates('en-GB', en, now)
    expect(dates.day(at(14, 0, 1))).toBe('Today')
    expect(dates.day(at(13, 23, 59))).toBe('Yesterday')
    expect(dates.day(at(12))).toMatch(/Thursday.* 12 March 2026/)
  })

  test('falls back to the visitor’s language for a tag that no browser can parse', () => {
    const own = createDates('', en, now)
    for (const tag of ['en_US', 'x', '🙂']) expect(createDates(tag, en, now).time(at(14))).toBe(own.time(at(14)))
  })
})
