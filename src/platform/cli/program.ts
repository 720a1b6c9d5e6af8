import { type CommanderError, Command as Program, Option as ProgramOption } from 'commander'
import { redact } from '../middleware/redact.ts'
import { version } from '../packageFiles.ts'
import type { Command, Topic } from './command.ts'
import { isValued, type Option, type Options, type Valued } from './option.ts'
import { UsageError } from './usageError.ts'

const helpWidth = 118
/** Options that most commands have. The help shows them last. */
const common = ['database', 'json']

/** What commander found in the arguments of a command. */
export interface ParsedWords {
  /** The texts of each option by its name; `[]` for a flag without a value. */
  texts: Map<string, string[]>
  argument: string
}

/** Builds the commander program that parses the command line and calls `onCommand` with the command and its arguments. */
export function createProgram(
  topics: Topic[],
  words: string[],
  onCommand: (command: Command, parsed: ParsedWords) => void,
): Program {
  const program = new Program('natter')
    .description('Natter, the platform behind the chat widget.')
    .version(version, '-v, --version', 'Print the version')
    .addHelpText('after', '\nTo try it out: natter serve --dev')
  for (const topic of topics) {
    const [only] = topic.commands
    const isCommand = only?.name === topic.name
    const group = isCommand ? program : program.command(topic.name).description(topic.summary)
    for (const command of topic.commands) {
      const verb = command.name.slice(isCommand ? 0 : topic.name.length + 1)
      const added = addCommand(group.command(verb), command, words, onCommand)
      if (isCommand) added.summary(topic.summary)
      if (topic.note) added.addHelpText('after', `\n${topic.note}`)
    }
    if (topic.note && !isCommand) group.addHelpText('after', `\n${topic.note}`)
  }
  forEachCommand(program, each => {
    each.helpOption('-h, --help', 'Show this help').configureHelp({ helpWidth, sortOptions: false })
    if (each.commands.length > 0) each.helpCommand('help [command]', 'Show the help of a command')
    each.exitOverride(error => {
      if (error.exitCode === 0 || (each === program && error.code === 'commander.help')) throw error
      throw misuse(nameOf(each), sentenceOf(error, each))
    })
  })
  return program
}

/** Calls `use` with a program and all commands in it. */
export function forEachCommand(program: Program, use: (command: Program) => void): void {
  use(program)
  for (const command of program.commands) forEachCommand(command, use)
}

/** The error for a command that was used wrongly. The sentence continues after the command's name. */
export function misuse(name: string, sentence: string): UsageError {
  const command = `natter ${name}`.trim()
  return new UsageError(`"${command}" ${sentence}. Run "${command} --help" for what it takes.`)
}

function addCommand(
  program: Program,
  command: Command,
  words: string[],
  onCommand: (command: Command, parsed: ParsedWords) => void,
): Program {
  const { name, metavar, summary, options } = command
  program.description(summary).usage(usageOf(command).slice(`natter ${name} `.length))
  if (metavar) program.argument(metavar.startsWith('[') ? metavar : `<${metavar}>`)
  const texts = new Map<string, string[]>()
  for (const [flag, option] of inOrder(options)) {
    program.addOption(
      toProgramOption(flag, option, text => {
        const before = texts.get(flag) ?? []
        if (isValued(option) && !option.many && before.length > 0) throw misuse(name, `takes --${flag} only once`)
        // A value that begins with -- is the next flag: the value is missing.
        if (text.startsWith('--') && !words.includes(`--${flag}=${text}`))
          throw misuse(name, `needs ${(option as Valued<unknown>).metavar} after --${flag}`)
        texts.set(flag, [...before, text])
        return text
      }),
    )
  }
  const variables = Object.values<Option>(options).filter(option => isValued(option) && option.variableOnly)
  if (variables.length > 0) program.addHelpText('after', `\nVariables:\n${variables.map(toHelpRow).join('\n')}`)
  return program.action((...args: unknown[]) => {
    for (const [flag, option] of Object.entries(options)) {
      const value = program.getOptionValueSource(toAttribute(flag)) !== undefined
      if (isValued(option) && option.variableOnly && value)
        throw misuse(name, `has no --${flag}, only the variable ${option.variable}`)
      if (!isValued(option) && value) texts.set(flag, [])
    }
    onCommand(command, { texts, argument: metavar ? String(args[0] ?? '') : '' })
  })
}

function toProgramOption(flag: string, option: Option, take: (text: string) => string): ProgramOption {
  if (!isValued(option)) return new ProgramOption(`--${flag}`, plain(option.description))
  if (option.variableOnly) return new ProgramOption(`--${flag} [${option.metavar}]`).hideHelp()
  const { default: defaultValue, variable, many } = option
  const notes = [
    ...(many ? ['repeat it for more'] : []),
    ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
    ...(variable ? [variable] : []),
  ]
  const description = plain(option.description) + (notes.length > 0 ? ` (${notes.join('; ')})` : '')
  return new ProgramOption(`--${flag} <${option.metavar}>`, description).argParser(take)
}

const toHelpRow = (option: Option): string =>
  `  ${isValued(option) ? option.variable : ''}\n      ${plain(option.description)}`

const inOrder = (options: Options): [string, Option][] =>
  Object.entries(options).sort(([a], [b]) => common.indexOf(a) - common.indexOf(b))

/** The name under which commander keeps an option. */
const toAttribute = (flag: string): string => new ProgramOption(`--${flag}`).attributeName()

const plain = (text: string): string => text.replaceAll('`', '')

/** A command's usage: `natter token create --organization ID [options]`. */
export function usageOf({ name, metavar, required = [], options }: Command): string {
  const needed = required.map(flag => `--${flag} ${(options[flag] as Valued<unknown>).metavar}`)
  return ['natter', name, ...(metavar ? [metavar] : []), ...needed, '[options]'].join(' ')
}

/** A command's name without that of the program: `bot create`. */
const nameOf = (command: Program): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}`.trim() : ''

function sentenceOf({ code, message }: CommanderError, { commands }: Program): string {
  const known = commands.map(command => command.name()).join(', ')
  if (code === 'commander.help') return `needs one of ${known}`
  // Commander repeats a flag with its value, which may be a secret in the wrong place.
  const text = redact(message.replace(/^error: /, '').replace(/'(--[^=']+)=[^']*'/, "'$1'"))
    .replaceAll('\n', ' ')
    .replace(/\.$/, '')
  return code === 'commander.unknownCommand' ? `has the commands ${known}: ${text}` : `was called wrongly: ${text}`
}
