// Paths of strokes on a 24 × 24 grid.
export const backPath = 'M15 5l-7 7 7 7'
export const botPath =
  'M6 9h12a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM12 9V5M9 13.5v1M15 13.5v1'
export const checkPath = 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2.2 2.2L15.5 10'
export const clipPath =
  'M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.4-8.5a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.7 1.7 0 0 1-2.4-2.4L15 7.2'
export const lockPath =
  'M7 11h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.5 11V8a3.5 3.5 0 0 1 7 0v3'
export const morePath = 'M5 12h.01M12 12h.01M19 12h.01'
export const thumbPath = 'M7 11v9H4v-9zM7 11l4-7a2.2 2.2 0 0 1 2 3l-1 3h6a2 2 0 0 1 2 2.4l-1 5.8a2 2 0 0 1-2 1.8H7'
export const trashPath = 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5'
