import { describe, expect, it } from 'vitest'
import { now } from '../testing/deskFixtures.ts'
import { createFormat, interpolate } from './format.ts'
import { en } from './locales/en.ts'

describe('formats', () => {
  it('select the plural form of the language', () => {
    const forms = { one: '{count} plik', few: '{count} pliki', other: '{count} plików' }
    const { count } = createFormat('pl', en)
    expect([1, 3, 5].map(number => count(forms, number))).toEqual(['1 plik', '3 pliki', '5 plików'])
  })

  it('give a duration in its largest unit', () => {
    const { duration } = createFormat('en', en)
    const minutes = [0, 59, 60, 60 * 49]
    expect(minutes.map(count => duration(count * 60_000, 'short'))).toEqual(['0 min', '59 min', '1 hr', '2 days'])
  })

  it('shorten a moment to the time of today, the day of the week, the date, or the date with its year', () => {
    const { moment } = createFormat('en-GB', en)
    const daysAgo = (days: number) => moment(new Date(now - days * 24 * 60 * 60_000).toISOString(), now)
    expect(daysAgo(0)).toMatch(/^\d\d:00$/)
    expect([2, 20, 400].map(daysAgo)).toEqual(['Monday', '12 Feb', '28/01/2025'])
  })

  it('keep `$` and unknown placeholders of a text', () => {
    expect(interpolate('{name} {other}', { name: '$& {other}' })).toBe('$& {other} {other}')
  })
})
