import type { JSX } from 'preact'

/** An icon of strokes on a 24 × 24 grid, in the colour of the surrounding text. */
export function Icon({ path }: { path: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
