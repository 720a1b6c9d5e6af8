import { launcherTexts } from './launcherStrings.ts'
import { panelTexts } from './panelStrings.ts'

/** Every text a visitor can meet. */
export const en = { ...launcherTexts, ...panelTexts }

/** The texts around a `{count}`. */
export type CountedKey = 'chatUnread' | 'charactersLeft'

/** A text with `{count}`, or a function that knows the plural forms and the digits of a language. */
export type CountedText = string | ((count: number) => string)

/** The keys of the English texts; every locale has the same. */
export type Strings = Record<Exclude<keyof typeof en, CountedKey>, string> & Record<CountedKey, CountedText>

/** One form for all numbers, or one for each category of `Intl.PluralRules` that whole numbers have in the language. */
export type PluralForms = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

/** What the file of a locale says. */
export type Translation = Record<Exclude<keyof typeof en, CountedKey | 'lang' | 'dir'>, string> &
  Record<CountedKey, PluralForms>

/** What a site says in its own words. */
export type OwnStrings = Partial<Record<Exclude<keyof typeof en, 'lang' | 'dir'>, string>>
