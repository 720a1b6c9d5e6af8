// Paths of strokes on a 24 × 24 grid.
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
