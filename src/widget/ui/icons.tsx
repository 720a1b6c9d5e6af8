import type { JSX } from 'preact'

export const closePath = 'M6 6l12 12M18 6L6 18'

/** A drawing of lines on 24 × 24, in the colour of the text around it. */
export function icon(path: string): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
