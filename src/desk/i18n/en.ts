import type { PluralForms } from './format.ts'

const plural = (forms: PluralForms): PluralForms => forms

/** The texts of the desk. `{…}` is a placeholder. */
export const en = {
  lang: 'en',
  dir: 'ltr',

  app: {
    title: 'Desk',
    retry: 'Try again',
    loading: 'Loading…',
  },

  inbox: {
    newRows: plural({ one: '{count} new', other: '{count} new' }),
  },

  /** The opened conversation. */
  conversation: {},
}

/** The texts of one language, as components use them. */
export type Strings = typeof en
