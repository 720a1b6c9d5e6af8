import type { OptionName } from '../loader/options.ts'
import type { OptionSource, Problem } from '../loader/problems.ts'

const reported = new Set<string>()

/** Says in the console, once, what the site has got wrong and where the platform's guide says what is allowed. */
export function explainProblem(problem: Problem, source: OptionSource, baseUrl = '<your platform>'): void {
  const [what, section] = describe(problem, source) ?? []
  const line = what && `Natter: ${what}. See ${guideAddress(baseUrl, section)}`
  if (!line || reported.has(line)) return
  reported.add(line)
  console.warn(line)
}

/** What is wrong, and the section of the guide that says what is right. */
function describe(problem: Problem, source: OptionSource): [what: string, section: string] | undefined {
  const spell = spellings[source]
  switch (problem.code) {
    case 'unknown_option':
      return [`${spell(problem.name)} is not an option`, 'options']
    case 'invalid_option':
      return [describeOption(problem.name, problem.value, source), 'options']
    case 'unknown_texts':
      return [`\`strings\` has keys that no text has: ${problem.names.join(', ')}`, 'texts']
    case 'missing_option':
      return [`${spell(problem.name)} is missing`, 'options']
    case 'missing_token_url':
      return ['auth.refresh() does nothing without the option tokenUrl', 'options']
    case 'missing_bot_id':
      return [
        "There is no chat, because the script's tag has no data-bot-id, and the page no <natter-chat>",
        'embed-it',
      ]
    case 'not_found':
      return [`No element of the page matches ${spell(problem.name)} ${show(problem.value)}`, 'options']
    case 'invalid_context':
      return ['setContext() takes no such object', 'calls']
    case 'change_ignored':
      return ['<natter-chat> with persist="memory" ignores changes of its other attributes', 'as-an-element']
    case 'chunk_failed':
      // A network failure needs no explanation.
      return Object.isFrozen(Object.prototype)
        ? ["The chat can't load because this page has frozen Object.prototype", 'browsers']
        : undefined
  }
}

/** Says that an option has a wrong value, without a full stop. */
export const describeOption = (name: OptionName, value: unknown, source: OptionSource): string =>
  `${spellings[source](name)} can't be ${show(value)}${name === 'tokenUrl' ? ", only a path of this page's origin or https" : ''}`

/** The address of a section of the widget's guide, which each platform has. */
export const guideAddress = (baseUrl: string, section = ''): string =>
  `${`${baseUrl}`.replace(/\/+$/, '')}/docs/widget#${section}`

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
