import { getFromDocument } from './documentAccess.ts'

/** Returns the page's language, else the browser's, as a BCP 47 tag. */
export const pageLocale = (): string => getFromDocument('documentElement').lang || navigator.language
