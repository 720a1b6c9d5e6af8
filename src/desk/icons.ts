// Paths of strokes on a 24 × 24 grid.
export const inboxPath = 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 3h3L15 13h5'
export const keyboardPath = 'M4 7h16v10H4zM7.5 10.5h.5M11 10.5h.5M14.500 10.5h.5M8 14h8'
export const personPath = 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0'
