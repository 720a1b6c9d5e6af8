import type { OptionName } from '../loader/options.ts'
import type { OptionSource, Problem } from '../loader/problems.ts'
import { nearestName } from './nearestName.ts'

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
  strings: 'an object of texts by their keys. It is ignored',
}

const reported = new Set<string>()

/** Explains to the site's developer, in the console, what is wrong and what to write instead. Reports each problem once. */
export function explainProblem(problem: Problem, source: OptionSource): void {
  const explanation = explain(problem, source)
  if (!explanation || reported.has(explanation)) return
  reported.add(explanation)
  console.warn(`Natter: ${explanation}`)
}

function explain(problem: Problem, source: OptionSource): string | undefined {
  const spell = spellings[source]
  switch (problem.code) {
    case 'unknown_option':
      return explainUnknown(problem.name, source)
    case 'invalid_option':
      return `${spell(problem.name)} can't be ${show(problem.value)}. Write ${expectations[problem.name]}.`
    case 'missing_option':
      return missing[problem.name](spell(problem.name), sourceNames[source])
    case 'missing_bot_id':
      return explainMissingBot(problem.given)
    case 'not_found':
      return notFound[problem.name](spell(problem.name), show(problem.value))
    case 'invalid_context':
      return `setContext() takes an object of at most 20 keys (a letter, then up to 39 of A-Z, a-z, 0-9, _ . -) with strings of at most 500 characters, numbers and booleans; 2 KiB of JSON together.`
    case 'change_ignored':
      return '<natter-chat> with persist="memory" ignores changes of its other attributes: a new widget would forget the visitor.'
    case 'chunk_failed':
      return explainFailedChunk()
  }
}

/**
 * A script tag without a bot id is valid: it defines `<natter-chat>`. The bot id is probably missing only if the tag has
 * other attributes that are options, or look like misspelt ones.
 */
function explainMissingBot(given: string[]): string | undefined {
  const misspelt = given.map(name => explainUnknown(name, 'script')).find(Boolean)
  if (misspelt || !given.some(isOptionName)) return misspelt
  return missing.botId(spellings.script('botId'), sourceNames.script)
}

const isOptionName = (name: string): name is OptionName => Object.hasOwn(expectations, name)

function explainUnknown(name: string, source: OptionSource): string | undefined {
  const spell = spellings[source]
  if (isOptionName(name)) return undefined
  const nearest = nearestName(name, Object.keys(expectations) as OptionName[])
  // On a tag, an unknown attribute probably belongs to another tool.
  if (!nearest && source !== 'createWidget') return undefined
  const advice = nearest ? `Did you mean ${spell(nearest)}?` : 'The guide of the widget lists all options.'
  return `${spell(name)} is not an option of ${sourceNames[source]} and is ignored. ${advice}`
}

/** Explains what in the page prevents core or panel from running. A network failure needs no explanation. */
function explainFailedChunk(): string | undefined {
  if (Object.isFrozen(Object.prototype)) {
    return "The chat can't load because this page has frozen Object.prototype. Freeze it after `await Natter.preload()`, or use natter.all.js."
  }
  const covered = (['createElementNS', 'createTextNode'] as const).find(name => typeof document[name] !== 'function')
  if (!covered) return undefined
  return `The chat can't be shown because an element of this page has the name or id ${covered}, which covers a method of the document. Rename it.`
}

const notFound = {
  target: (name: string, value: string) =>
    `No element of the page matches ${name} ${value}. The chat floats over the page instead.`,
  launcher: (name: string, value: string) =>
    `No element of the page matches ${name} ${value} yet. Until one does, the chat opens only by the call open().`,
}

const missing = {
  botId: (name: string, place: string) =>
    `${name} is missing on ${place}, so there is no chat. It is the bot's id, from \`natter bot list\`.`,
  baseUrl: (name: string, place: string) =>
    `${name} is missing on ${place}, so there is no chat. It is the platform's address, such as https://chat.example.`,
  target: (name: string) =>
    `The mode inline needs ${name}: a selector of the element that the chat fills. The chat floats over the page instead.`,
}

const sourceNames: Record<OptionSource, string> = {
  script: "the script's tag",
  element: '<natter-chat>',
  createWidget: 'createWidget()',
}

const toKebabCase = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** How the name of an option is written in each source. */
const spellings: Record<OptionSource, (name: string) => string> = {
  script: name => `data-${toKebabCase(name)}`,
  element: toKebabCase,
  createWidget: name => `\`${name}\``,
}

/** Formats a value for a message, shortened. */
function show(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 80)}"`
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : `of the type ${typeof value}`
}
