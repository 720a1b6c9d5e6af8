/** A number with its noun, such as `1 script` and `2 scripts`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
