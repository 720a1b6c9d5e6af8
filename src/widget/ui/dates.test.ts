import { effect, signal } from '@preact/signals'
import { describe, expect, test, vi } from 'vitest'
import { en } from '../i18n/en.ts'
import { textsIn } from '../i18n/locales.ts'
import { createDates, createLazyDates } from './dates.ts'

const at = (day: number, hour = 9, minute = 5) => new Date(2026, 2, day, hour, minute).toISOString()
const now = () => new Date(2026, 2, 14, 0, 30)
const datesIn = async (tag: string) => createDates({ ...en, ...(await textsIn(tag)) }, now)

describe('createDates', () => {
  test('formats the time for the language and region', async () => {
    expect((await datesIn('de')).time(at(14))).toBe('09:05')
    expect(createDates({ ...en, lang: 'en-US' }, now).time(at(14))).toMatch(/^9:05\sAM$/)
    expect((await datesIn('fa')).time(at(14))).toBe('۹:۰۵')
    expect((await datesIn('ar-EG')).time(at(14))).toMatch(/^٩:٠٥/)
  })

  test('names today and yesterday in the visitor’s time zone, and omits the current year from other days', async () => {
    const dates = createDates({ ...en, lang: 'en-GB' }, now)
    expect(dates.day(at(14, 0, 1))).toBe('Today')
    expect(dates.day(at(13, 23, 59))).toBe('Yesterday')
    expect(dates.day(at(12))).toMatch(/^Thursday.* 12 March$/)
    expect(dates.day(new Date(2025, 11, 31, 9).toISOString())).toMatch(/^Wednesday.* 31 December 2025$/)
    expect(dates.day(at(15))).toBe('Today')
    const french = await datesIn('fr-CA')
    expect(french.day(at(14))).toBe('Aujourd’hui')
    expect(french.day(at(12))).toMatch(/^jeudi.* 12 mars$/)
  })
})

test('names a day to come as within a sentence, in the visitor’s time zone', async () => {
  const days = [14, 15, 16, 20, 21].map(day => at(day, 23, 59))
  expect(days.map(createDates({ ...en, lang: 'en-GB' }, now).comingDay)).toEqual([
    ...['today', 'tomorrow', 'Monday', 'Friday'],
    expect.stringMatching(/^Saturday.* 21 March$/),
  ])
  const japanese = await datesIn('ja')
  expect([japanese.comingDay(at(15)), japanese.comingDay(at(16))]).toEqual(['明日', '月曜日'])
})

test('what was today is yesterday once the page is shown after midnight', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const end = new AbortController()
  try {
    vi.setSystemTime(new Date(2026, 2, 14, 20))
    const { dates, load } = createLazyDates(signal(en), end.signal)
    void load()
    let shown: string | undefined
    effect(() => {
      shown = dates.value?.day(at(14))
    })
    await vi.waitFor(() => expect(shown).toBe('Today'))
    vi.setSystemTime(new Date(2026, 2, 15, 9))
    document.dispatchEvent(new Event('visibilitychange'))
    expect(shown).toBe('Yesterday')
  } finally {
    end.abort('The test has ended')
    vi.useRealTimers()
  }
})
