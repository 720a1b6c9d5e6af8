import type { Command, Topic } from './command.ts'
import { isValued, type Option, type Options, type Valued } from './option.ts'

const column = 25
const width = 118
/** Options of most commands come last. */
const common = ['database', 'json']

/** The text of `natter --help` or `natter <topic> --help`. The topic may contain only the requested command. */
export const helpText = (topics: Topic[], topic: Topic | null): string => (topic ? pageOf(topic) : overviewOf(topics))

const overviewOf = (topics: Topic[]): string => `Natter, the platform behind the chat widget.

${topics.map(({ name, summary }) => `  natter ${name.padEnd(11)} ${summary}`).join('\n')}

  natter <command> --help   What a command takes
  natter --version

To try it out: natter serve --dev
`

/** Lists the options of a single command, or several commands. */
function pageOf({ name, commands, note }: Topic): string {
  const usages = commands.map(command => `${usageOf(command)}\n    ${command.summary}`)
  const [only, ...more] = commands
  const details =
    only && more.length === 0 ? optionLines(only.options) : `  natter ${name} <verb> --help   What each of them takes`
  return `${usages.join('\n')}\n\n${details}\n${note ? `\n${note}\n` : ''}`
}

const optionLines = (options: Options): string =>
  Object.entries(options)
    .sort(([a], [b]) => common.indexOf(a) - common.indexOf(b))
    .map(([name, option]) => lineOf(name, option))
    .join('\n')

/** A command's usage: `natter token create --organization ID [options]`. */
export function usageOf({ name, metavar, required = [], options }: Command): string {
  const needed = required.map(flag => headOf(flag, options[flag] as Option))
  return ['natter', name, ...(metavar ? [metavar] : []), ...needed, '[options]'].join(' ')
}

function headOf(name: string, option: Option): string {
  if (!isValued(option)) return `--${name}`
  return option.secret ? (option.variable ?? '') : `--${name} ${option.metavar}`
}

function lineOf(name: string, option: Option): string {
  const { default: defaultValue, variable, secret, many }: Partial<Valued<unknown>> = option
  const asides = [
    ...(many ? ['repeat it for more'] : []),
    ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
    ...(variable && !secret ? [variable] : []),
  ]
  const description = option.description.replaceAll('`', '') + (asides.length > 0 ? ` (${asides.join('; ')})` : '')
  const [first, ...more] = description.match(new RegExp(`.{1,${width - column}}(?:\\s|$)`, 'g')) ?? []
  return [`  ${headOf(name, option).padEnd(column - 3)} ${first}`, ...more.map(line => ' '.repeat(column) + line)]
    .map(line => line.trimEnd())
    .join('\n')
}
