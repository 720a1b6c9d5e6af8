import type { OptionName } from '../loader/options.ts'
import type { OptionSource, Problem } from '../loader/problems.ts'
import { nearestName } from './nearestName.ts'

/** What is wrong, without a full stop, and what to write instead. */
export interface Explanation {
  found: string
  advice: string
}

/** What each option accepts, and what is used instead of an invalid value. */
const expectations: Record<OptionName, string> = {
  botId: "the bot's id as text, from `natter bot list`",
  baseUrl: "the platform's address with https://, such as https://chat.example. The script's own origin is used",
  locale: "a BCP 47 tag such as de-AT. The page's language is used",
  theme: 'auto, light or dark. auto is used',
  accent: 'a colour as #rrggbb, such as #0b7285. The default colour is used',
  position: 'start or end. end is used',
  mode: 'floating or inline. floating is used',
  target: 'a CSS selector, or from JavaScript an element. It is ignored',
  launcher: "a CSS selector of your own elements. The widget's own launcher is shown",
  offset: 'a number of CSS pixels without a unit, such as 32. 20 is used',
  zIndex: 'a number, such as 1000. 2000000000 is used',
  persist: 'local, session or memory. Until then there is no chat',
  titleBadge: 'true or false. false is used',
  preview: 'true or false. true is used',
  page: 'true, false, or a function that returns the path to send. false is used',
  refreshToken: 'a function, or in an attribute the name of a global function. It is ignored',
  tokenUrl: 'a path such as /chat-token, or an address with https://. It is ignored',
  strings: 'an object of texts by their keys, in an attribute as JSON. It is ignored',
}

/** Explains a wrong name or value of an option. `undefined` for an attribute that probably belongs to another tool. */
export function explainOption(
  problem: Extract<Problem, { code: 'unknown_option' | 'invalid_option' }>,
  source: OptionSource,
): Explanation | undefined {
  const { name } = problem
  const spell = spellings[source]
  if (problem.code === 'invalid_option')
    return { found: `${spell(name)} can't be ${show(problem.value)}`, advice: `Write ${expectations[problem.name]}.` }
  if (isOptionName(name)) return undefined
  const nearest = nearestName(name, Object.keys(expectations) as OptionName[])
  // On a tag, an unknown attribute probably belongs to another tool.
  if (!nearest && source !== 'createWidget') return undefined
  const advice = nearest ? `Did you mean ${spell(nearest)}?` : 'The guide of the widget lists all options.'
  return { found: `${spell(name)} is not an option of ${sourceNames[source]} and is ignored`, advice }
}

export const isOptionName = (name: string): name is OptionName => Object.hasOwn(expectations, name)

export const sourceNames: Record<OptionSource, string> = {
  script: "the script's tag",
  element: '<natter-chat>',
  createWidget: 'createWidget()',
}

const toKebabCase = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** How the name of an option is written in each source. */
export const spellings: Record<OptionSource, (name: string) => string> = {
  script: name => `data-${toKebabCase(name)}`,
  element: toKebabCase,
  createWidget: name => `\`${name}\``,
}

/** Formats a value for a message, shortened. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 80)}"`
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : `of the type ${typeof value}`
}
