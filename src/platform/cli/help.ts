import type { Command, Topic } from './command.ts'
import { isValued, type Option, type Valued } from './option.ts'

const column = 25
const width = 118
/** What most commands take comes last. */
const common = ['database', 'json']

/** What `natter --help` prints, or `natter <topic> --help`. */
export const helpText = (topics: Topic[], topic: Topic | null): string => (topic ? pageOf(topic) : overviewOf(topics))

const overviewOf = (topics: Topic[]): string => `Natter, the platform behind the chat widget.

${topics.map(({ name, does }) => `  natter ${name.padEnd(11)} ${does}`).join('\n')}

  natter <command> --help   What a command takes
  natter --version

To try it out: natter serve --dev
`

function pageOf({ commands, note }: Topic): string {
  const options = Object.entries<Option>(Object.assign({}, ...commands.map(({ options }) => options)))
  const lines = options.sort(([a], [b]) => common.indexOf(a) - common.indexOf(b)).map(([name, it]) => lineOf(name, it))
  const usages = commands.map(command => `${usageOf(command)}\n    ${command.does}`)
  return `${usages.join('\n')}\n\n${lines.join('\n')}\n${note ? `\n${note}\n` : ''}`
}

/** How a command is called: `natter token create --organization ID [options]`. */
export function usageOf({ name, takes, needs = [], options }: Command): string {
  const needed = needs.map(flag => headOf(flag, options[flag] as Option))
  return ['natter', name, ...(takes ? [takes] : []), ...needed, '[options]'].join(' ')
}

function headOf(name: string, option: Option): string {
  if (!isValued(option)) return `--${name}`
  return option.secret ? (option.variable ?? '') : `--${name} ${option.takes}`
}

function lineOf(name: string, option: Option): string {
  const { preset, variable, secret, many }: Partial<Valued<unknown>> = option
  const asides = [
    ...(many ? ['repeat it for more'] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
    ...(variable && !secret ? [variable] : []),
  ]
  const says = option.says.replaceAll('`', '') + (asides.length > 0 ? ` (${asides.join('; ')})` : '')
  const [first, ...more] = says.match(new RegExp(`.{1,${width - column}}(?:\\s|$)`, 'g')) ?? []
  return [`  ${headOf(name, option).padEnd(column - 3)} ${first}`, ...more.map(line => ' '.repeat(column) + line)]
    .map(line => line.trimEnd())
    .join('\n')
}
