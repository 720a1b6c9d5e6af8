import type { JSX } from 'preact'
import type { Dates } from './dates.ts'

/** Shows the date above the first message of a day. Screen readers announce only the message below. */
export function DayDivider({ at, dates }: { at: string; dates: Dates }): JSX.Element {
  return (
    <p class="rule" aria-live="off">
      {dates.day(at)}
    </p>
  )
}
