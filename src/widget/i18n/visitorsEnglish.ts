import { en } from './en.ts'

/**
 * Returns the visitor's regional variant of English from the browser's settings, such as `en-GB`, or `en`. It is used to
 * format dates, times and numbers.
 *
 * It reads the tags without `Intl`. The first `Intl` object of a page takes a slow phone 25 ms, and this runs when the core
 * starts.
 */
export const visitorsEnglish = (): string => navigator.languages.find(tag => /^en(-|$)/i.test(tag)) ?? en.lang
