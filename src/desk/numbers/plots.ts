import type { Numbers } from '../../contract/deskNumbers.ts'
import type { Format } from '../i18n/format.ts'
import type { Strings } from '../i18n/locales/en.ts'

/** What a bar consists of, from the bottom up. */
export interface Series {
  name: string
  /** One for each day. */
  values: number[]
}

/** A value for each day, as bars and as a table. */
export interface PlotData {
  title: string
  hint: string
  /** Together, they are what the bars show. */
  series: Series[]
  /** The columns of the table after the date, with a text for each day. */
  columns: { name: string; cells: string[] }[]
  /** A value as a text. */
  toText(value: number): string
}

/** A time in seconds. */
export function toDuration(seconds: number, { strings, format }: { strings: Strings; format: Format }): string {
  return seconds < 60 ? strings.numbers.underMinute : format.duration(seconds * 1000, 'short')
}

/** The plots of a period. Those without a value are left out. */
export function plotsOf({ days }: Numbers, app: { strings: Strings; format: Format }): PlotData[] {
  const texts = app.strings.numbers
  const { number } = app.format
  const counted = (name: string, count: (day: Numbers['days'][number]) => number) => {
    const values = days.map(count)
    return { series: { name, values }, column: { name, cells: values.map(number) } }
  }
  const byBot = counted(texts.byBot, day => day.byBot)
  const handedOver = counted(texts.handedOver, day => day.handedOver)
  const others = counted(texts.others, day => day.conversations - day.byBot - day.handedOver)
  const up = counted(texts.up, day => day.up)
  const down = counted(texts.down, day => day.down)
  const all = { name: texts.conversations, cells: days.map(day => number(day.conversations)) }
  const toText = (seconds: number) => toDuration(seconds, app)
  const timed = (name: string, key: 'median' | 'p90') => ({
    name,
    cells: days.map(({ firstAnswer }) => (firstAnswer ? toText(firstAnswer[key]) : '–')),
  })
  const plots: PlotData[] = [
    {
      title: texts.perDay,
      hint: texts.perDayHint,
      series: [byBot.series, handedOver.series, others.series],
      columns: [all, byBot.column, handedOver.column, others.column],
      toText: number,
    },
    {
      title: texts.firstAnswer,
      hint: texts.firstAnswerHint,
      series: [{ name: texts.median, values: days.map(({ firstAnswer }) => firstAnswer?.median ?? 0) }],
      columns: [timed(texts.median, 'median'), timed(texts.p90, 'p90')],
      toText,
    },
    {
      title: texts.ratings,
      hint: texts.ratingsHint,
      series: [up.series, down.series],
      columns: [up.column, down.column],
      toText: number,
    },
  ]
  return plots.filter(({ series }) => series.some(({ values }) => values.some(value => value > 0)))
}
