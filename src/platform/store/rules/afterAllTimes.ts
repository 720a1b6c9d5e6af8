/** Sorts after every time. A list with the latest first begins here. */
export const afterAllTimes = '~'
