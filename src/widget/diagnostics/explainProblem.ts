import type { OptionSource, Problem } from '../loader/problems.ts'
import { type Explanation, explainOption, isOptionName, show, sourceNames, spellings } from './explainOption.ts'
import { nearestName } from './nearestName.ts'

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
    case 'invalid_option':
      return inOneLine(explainOption(problem, source))
    case 'unknown_texts':
      return explainUnknownTexts(problem.given, Object.keys(problem.known))
    case 'missing_option':
      return missing[problem.name](spell(problem.name), sourceNames[source])
    case 'missing_token_url':
      return "auth.refresh() does nothing, because the option tokenUrl is missing: data-token-url on the script's tag, the path of your token route, such as /chat-token. Pages that call login() themselves call it again instead."
    case 'missing_bot_id':
      return explainMissingBot(problem.given, problem.hasElement)
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

const inOneLine = (explanation?: Explanation) => explanation && `${explanation.found}. ${explanation.advice}`

function explainUnknownTexts(given: object, known: string[]): string {
  const unknown = Object.keys(given).filter(name => !known.includes(name))
  const lines = unknown.map(name => {
    const nearest = nearestName(name, known)
    const advice = nearest ? `Did you mean ${nearest}?` : 'The guide of the widget lists all texts.'
    return `\`strings\` has the key ${name}, which no text has, and it is ignored. ${advice}`
  })
  return lines.join('\n')
}

/**
 * A script tag without a bot id is valid: it defines `<natter-chat>`. The bot id is probably missing only if the page has no
 * such element, or the tag has other attributes that are options, or look like misspelt ones.
 */
function explainMissingBot(given: string[], hasElement: boolean): string | undefined {
  const misspelt = given.map(name => explainOption({ code: 'unknown_option', name }, 'script')).find(Boolean)
  if (misspelt) return inOneLine(misspelt)
  if (!given.some(isOptionName))
    return hasElement
      ? undefined
      : 'The script has no data-bot-id, and the page no <natter-chat>, so there is no chat. A tag manager drops data attributes: the guide of the widget has a snippet for it.'
  return missing.botId(spellings.script('botId'), sourceNames.script)
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
