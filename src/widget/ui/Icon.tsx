import type { JSX } from 'preact'

export const closePath = 'M6 6l12 12M18 6L6 18'

/** An icon of strokes on a 24 × 24 grid, in the colour of the surrounding text. */
export function Icon({ path }: { path: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
