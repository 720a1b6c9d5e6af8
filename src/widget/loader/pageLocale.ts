import { getFromDocument } from './documentAccess.ts'

/** The page's language, else the browser's: BCP 47. */
export const pageLocale = (): string => getFromDocument('documentElement').lang || navigator.language
