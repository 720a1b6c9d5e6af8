import { laterTexts } from './later.ts'
import { launcherTexts } from './launcher.ts'

/** Every text a visitor can meet. */
export const en = { ...launcherTexts, ...laterTexts }

/** The keys of the English texts; every locale has the same. */
export type Strings = Record<keyof typeof en, string>
