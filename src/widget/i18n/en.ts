import { launcherTexts } from './launcherStrings.ts'
import { texts } from './locales/en.ts'

/** All texts that a visitor can see or hear. */
export const en = { ...launcherTexts, ...texts }

/** The keys of texts that contain `{count}`. */
type CountedKey = 'chatUnread' | 'charactersLeft'

/** A text with `{count}`, or a function that applies a language's plural forms and digits. */
export type CountedText = string | ((count: number) => string)

/** The texts of one language, as components use them. */
export type Strings = Record<Exclude<keyof typeof en, CountedKey>, string> & Record<CountedKey, CountedText>

/** One form for all numbers, or one for each category of `Intl.PluralRules` that whole numbers have in the language. */
export type PluralForms = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

/** The content of a locale file. */
export type Translation = Record<Exclude<keyof typeof en, CountedKey | 'lang' | 'dir'>, string> &
  Record<CountedKey, PluralForms>

/** Texts that a site replaces with the option `strings`. */
export type OwnStrings = Partial<Record<Exclude<keyof typeof en, 'lang' | 'dir'>, string>>

export const formatCount = (text: CountedText, count: number): string =>
  typeof text === 'function' ? text(count) : text.replace('{count}', `${count}`)

/**
 * Returns the visitor's regional variant of English from the browser's settings, such as `en-GB`, or `en`. It is used to
 * format dates, times and numbers.
 *
 * It reads the tags without `Intl`. The first `Intl` object of a page takes a slow phone 25 ms, and this runs when the core
 * starts.
 */
export const visitorsEnglish = (): string => navigator.languages.find(tag => /^en(-|$)/i.test(tag)) ?? en.lang
