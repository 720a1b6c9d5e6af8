import { botSettingsSchemas } from '../../contract/index.ts'
import type { Bot } from '../store/store.ts'
import { english } from '../texts/english.ts'
import { checked, type Options, refuse, type ValuesOf } from './option.ts'

type TextKey = keyof Bot['texts']

/** The texts that can be replaced. The greeting has an option of its own. */
export const textKeys = Object.keys(english).filter((key): key is TextKey => key !== 'greeting')
const quickReplies: readonly TextKey[] = ['person', 'retry']

/** The options that replace the texts of a bot. */
export const textOptions = {
  text: {
    metavar: 'KEY=TEXT',
    many: true,
    description: 'What it says in place of a default text, up to 1000 characters, or KEY=none; \\n is a line break',
    read: readReplacement,
  },
} satisfies Options

/** The texts with the given changes; `undefined` if none is given. */
export function changeTexts(given: ValuesOf<typeof textOptions>, before: Bot['texts']): Bot['texts'] | undefined {
  if (!given.text) return undefined
  const changes = given.text.map(({ key, text }) => [key, text] as const)
  const texts = Object.entries<string | undefined>({ ...before, ...Object.fromEntries(changes) })
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}

/** Every replaced text, as its option is given. */
export const textRows = (texts: Bot['texts']): string[] => Object.entries(texts).map(([key, text]) => `${key}=${text}`)

/** Reads `KEY=TEXT`; without a text if it is `none`. */
function readReplacement(given: string): { key: TextKey; text: string | undefined } {
  const [, name, text = ''] = /^(\w+)=(.*)$/s.exec(given) ?? []
  const key = textKeys.find(key => key === name)
  if (!key) refuse(`Must be KEY=TEXT, and KEY one of ${textKeys.join(', ')}.`)
  return { key, text: text === 'none' ? undefined : readText(key, text.replaceAll('\\n', '\n')) }
}

function readText(key: TextKey, text: string): string {
  const checkedText = checked(quickReplies.includes(key) ? botSettingsSchemas.quickReply : botSettingsSchemas.text)(
    text,
  )
  if (key === 'hello' && !text.includes('{name}')) refuse('Must contain {name} in the text of hello.')
  return checkedText
}
