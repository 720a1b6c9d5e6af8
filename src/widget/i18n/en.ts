import { launcherTexts } from './launcherStrings.ts'
import { panelTexts } from './panelStrings.ts'

/** All texts that a visitor can see or hear. */
export const en = { ...launcherTexts, ...panelTexts }

/** The keys of texts that contain `{count}`. */
export type CountedKey = 'chatUnread' | 'charactersLeft'

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
