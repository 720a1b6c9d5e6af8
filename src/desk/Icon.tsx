import type { JSX } from 'preact'

/** An icon of strokes on a 24 × 24 grid, in the colour of the surrounding text. */
export function Icon({ path }: { path: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

// Paths of icons.
export const inboxPath = 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 3h3L15 13h5'
export const barsPath = 'M5 20V11M12 20V4M19 20v-6'
export const keyboardPath = 'M4 7h16v10H4zM7.5 10.5h.5M11 10.5h.5M14.5 10.5h.5M8 14h8'
export const personPath = 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0'
export const teamPath =
  'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M17.5 14.5A6 6 0 0 1 21 20'
export const botPath = 'M5 9h14v10H5zM12 9V5M9.5 13.5v.5M14.5 13.5v.5M2.5 13v3M21.5 13v3'
export const chatPath = 'M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z'
export const arrowUpPath = 'M12 19V5M6 11l6-6 6 6'
export const savedPath = 'M6 4h12v16l-6-4-6 4zM9 8h6M9 11h4'
export const searchPath = 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20'
export const filterPath = 'M4 7h16M7 12h10M10 17h4'
export const backPath = 'M15 5l-7 7 7 7'
export const checkPath = 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2.2 2.2L15.5 10'
export const clipPath =
  'M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.4-8.5a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.7 1.7 0 0 1-2.4-2.4L15 7.2'
export const lockPath =
  'M7 11h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.5 11V8a3.5 3.5 0 0 1 7 0v3'
export const morePath = 'M5 12h.01M12 12h.01M19 12h.01'
export const thumbPath = 'M7 11v9H4v-9zM7 11l4-7a2.2 2.2 0 0 1 2 3l-1 3h6a2 2 0 0 1 2 2.4l-1 5.8a2 2 0 0 1-2 1.8H7'
export const trashPath = 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5'
