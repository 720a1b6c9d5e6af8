/** The path of an icon that points down, on a 24 × 24 grid. */
export const chevronPath = 'M6 9l6 6 6-6'
