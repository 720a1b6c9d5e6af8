import { describe, expect, it, vi } from 'vitest'
import type { Hours } from './hours.ts'
import { addOpenTime, isOpen, openingsAfter } from './openings.ts'

const { parse } = Date
const allDay = '00:00-00:00'
const workWeek = Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri'].map(day => [day, '09:00-17:00']))

/** From a time on, a minute: the first two openings, and the end of so many open minutes. */
const cases: [string, Partial<Hours> & Pick<Hours, 'week'>, string, [string, string][], [number, string]][] = [
  [
    'a day with hours, before they begin',
    { week: workWeek },
    '2026-11-30T07:00Z',
    [
      ['2026-11-30T08:00Z', '2026-11-30T16:00Z'],
      ['2026-12-01T08:00Z', '2026-12-01T16:00Z'],
    ],
    [30, '2026-11-30T08:30Z'],
  ],
  [
    'the end of the hours, which is closed',
    { week: workWeek },
    '2026-11-30T16:00Z',
    [
      ['2026-12-01T08:00Z', '2026-12-01T16:00Z'],
      ['2026-12-02T08:00Z', '2026-12-02T16:00Z'],
    ],
    [30, '2026-12-01T08:30Z'],
  ],
  [
    'days without hours, which a timeout spans',
    { week: workWeek },
    '2026-11-27T15:50Z',
    [
      ['2026-11-27T08:00Z', '2026-11-27T16:00Z'],
      ['2026-11-30T08:00Z', '2026-11-30T16:00Z'],
    ],
    [30, '2026-11-30T08:20Z'],
  ],
  [
    'holidays',
    { week: workWeek, holidays: ['2026-12-24', '2026-12-25'] },
    '2026-12-23T16:30Z',
    [
      ['2026-12-28T08:00Z', '2026-12-28T16:00Z'],
      ['2026-12-29T08:00Z', '2026-12-29T16:00Z'],
    ],
    [480, '2026-12-28T16:00Z'],
  ],
  [
    'hours over midnight, which last into a holiday',
    { week: { thu: '22:00-06:00', fri: '22:00-06:00' }, holidays: ['2026-12-25'] },
    '2026-12-25T03:00Z',
    [
      ['2026-12-24T21:00Z', '2026-12-25T05:00Z'],
      ['2026-12-31T21:00Z', '2027-01-01T05:00Z'],
    ],
    [180, '2026-12-31T22:00Z'],
  ],
  [
    'hours over midnight that overlap those of the next day, which count once',
    { week: { mon: '20:00-10:00', tue: '09:00-12:00' } },
    '2026-11-30T19:00Z',
    [
      ['2026-11-30T19:00Z', '2026-12-01T09:00Z'],
      ['2026-12-01T08:00Z', '2026-12-01T11:00Z'],
    ],
    [16 * 60, '2026-12-01T11:00Z'],
  ],
  [
    'clocks that go forward in the hours',
    { week: { sat: '09:00-10:00', sun: '01:00-09:00' } },
    '2026-03-28T12:00Z',
    [
      ['2026-03-29T00:00Z', '2026-03-29T07:00Z'],
      ['2026-04-04T07:00Z', '2026-04-04T08:00Z'],
    ],
    [7 * 60, '2026-03-29T07:00Z'],
  ],
  [
    'hours that begin in the gap of the clock',
    { week: { sun: '02:30-09:00' } },
    '2026-03-29T00:00Z',
    [['2026-03-29T01:30Z', '2026-03-29T07:00Z']],
    [1, '2026-03-29T01:31Z'],
  ],
  [
    'hours that the gap of the clock swallows',
    { week: { sun: '02:30-03:15' } },
    '2026-03-28T12:00Z',
    [['2026-04-05T00:30Z', '2026-04-05T01:15Z']],
    [1, '2026-04-05T00:31Z'],
  ],
  [
    'clocks that go back in the hours',
    { week: { sun: '02:30-09:00' } },
    '2026-10-24T12:00Z',
    [['2026-10-25T00:30Z', '2026-10-25T08:00Z']],
    [60, '2026-10-25T01:30Z'],
  ],
  [
    'the whole day of 25 hours, from the day before on',
    { week: { sat: allDay, sun: allDay, mon: allDay } },
    '2026-10-25T10:00Z',
    [
      ['2026-10-24T22:00Z', '2026-10-25T23:00Z'],
      ['2026-10-25T23:00Z', '2026-10-26T23:00Z'],
    ],
    [14 * 60, '2026-10-26T00:00Z'],
  ],
  [
    'a time zone with an odd offset, whose day is another one',
    { timeZone: 'Asia/Kathmandu', week: { tue: '00:15-08:00' } },
    '2026-11-30T18:00Z',
    [['2026-11-30T18:30Z', '2026-12-01T02:15Z']],
    [15, '2026-11-30T18:45Z'],
  ],
  [
    'a time zone whose clocks change by half an hour',
    { timeZone: 'Australia/Lord_Howe', week: { sun: '01:00-03:00' } },
    '2026-10-03T00:00Z',
    [['2026-10-03T14:30Z', '2026-10-03T16:00Z']],
    [90, '2026-10-03T16:00Z'],
  ],
  [
    'a time zone ahead of every other',
    { timeZone: 'Pacific/Kiritimati', week: { mon: '00:00-01:00' } },
    '2026-11-29T10:30Z',
    [
      ['2026-11-29T10:00Z', '2026-11-29T11:00Z'],
      ['2026-12-06T10:00Z', '2026-12-06T11:00Z'],
    ],
    [31, '2026-12-06T10:01Z'],
  ],
]

describe('hours', () => {
  it.each(cases)('%s', (_, { timeZone = 'Europe/Berlin', week, holidays = [] }, at, openings, [minutes, end]) => {
    const hours = { timeZone, week, holidays }
    const now = parse(at)
    const told = openingsAfter(hours, now).map(({ from, until }) => [parse(from), parse(until)])
    const expected = openings.map(([from, until]) => [parse(from), parse(until)])
    expect(told.slice(0, expected.length)).toEqual(expected)
    expect(isOpen(hours, now)).toBe((expected[0]?.[0] ?? 0) <= now)
    expect(new Date(addOpenTime(hours, now, minutes * 60_000)).toISOString()).toBe(new Date(parse(end)).toISOString())
  })

  it('that are not set are always open, and nothing is told of them', () => {
    const now = parse('2026-11-29T10:30Z')
    expect([isOpen(null, now), addOpenTime(null, now, 5), openingsAfter(null, now)]).toEqual([true, now + 5, []])
  })

  it('are told for a week, and the next one always', () => {
    const hours = { timeZone: 'Europe/Berlin', week: workWeek, holidays: [] }
    expect(openingsAfter(hours, parse('2026-11-30T12:00Z'))).toHaveLength(6)
    const holidays = [...Array(31).keys()].map(day => `2026-12-${String(day + 1).padStart(2, '0')}`)
    const [next, ...others] = openingsAfter({ ...hours, holidays }, parse('2026-12-01T12:00Z'))
    expect([next?.from, others]).toEqual(['2027-01-01T08:00:00.000Z', []])
  })
})

it('makes one format a time zone, whose memory is freed late', () => {
  const make = vi.spyOn(Intl, 'DateTimeFormat')
  const hours = { timeZone: 'Pacific/Apia', week: { mon: '09:00-17:00' }, holidays: [] }
  for (let count = 0; count < 3; count++) expect(openingsAfter(hours, 0)).not.toEqual([])
  expect(make).toHaveBeenCalledTimes(1)
})
