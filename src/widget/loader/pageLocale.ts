/** Returns the page's language, else the browser's, as a BCP 47 tag. */
export const pageLocale = (): string => document.documentElement.lang || navigator.language
