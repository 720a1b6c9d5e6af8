/** The path of an icon that is a cross, on a 24 × 24 grid. */
export const closePath = 'M6 6l12 12M18 6L6 18'
