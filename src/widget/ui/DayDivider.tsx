import type { JSX } from 'preact'
import type { Dates } from './dates.ts'

/** The day that begins here. Silent: it comes with what is read aloud itself, or needs no reading. */
export function DayDivider({ at, dates }: { at: string; dates: Dates }): JSX.Element {
  return (
    <p class="rule" aria-live="off">
      {dates.day(at)}
    </p>
  )
}
