import type { JSX } from 'preact'
import type { Dates } from './dates.ts'

/** The day that begins here. Screen readers don't announce it: the message below is what is new. */
export function DayDivider({ at, dates }: { at: string; dates: Dates }): JSX.Element {
  return (
    <p class="rule" aria-live="off">
      {dates.day(at)}
    </p>
  )
}
