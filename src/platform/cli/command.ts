import type { Clock } from '../clock.ts'
import { type Environment, type Options, readOptions, type ValuesOf } from './option.ts'
import { UsageError } from './usageError.ts'

/** What a command's `run` gets. */
export interface CommandContext<Table extends Options = Options, Needed extends keyof Table = never> {
  values: ValuesOf<Table> & { [Name in Needed]: Exclude<ValuesOf<Table>[Name], undefined> }
  /** The positional argument, `''` if there is none. */
  argument: string
  clock: Clock
  /** Writes a line to stdout. */
  printLine(line: string): void
  /** Writes to stderr, without a line break. */
  stderr(text: string): void
}

/** One command of `natter`. */
export interface Command<Table extends Options = Options, Needed extends keyof Table = keyof Table> {
  /** `serve`, or topic and verb: `bot create`. */
  name: string
  /** The positional argument in the help, such as `BOT`; in brackets if it is optional. */
  metavar?: string
  /** What it does, in a few words, for the help. */
  summary: string
  /** Its required options. */
  required?: Needed[]
  options: Table
  run(call: CommandContext<Table, Needed>): Promise<void>
}

/** A group of commands with a page of help. */
export interface Topic {
  name: string
  /** What its commands do, in a few words. */
  summary: string
  commands: Command[]
  /** A note at the end of its help. */
  note?: string
}

/** Defines a command. Its `run` gets the exact types of its options, which the list of commands does not need. */
export const command = <const Table extends Options, Needed extends keyof Table = never>(
  definition: Command<Table, Needed>,
): Command => definition as unknown as Command

/** The parsed arguments of `natter`. */
export type ParsedCommand =
  | { help: Topic | null }
  | { version: true }
  | { command: Command; call: Pick<CommandContext, 'values' | 'argument'> }

/** Parses the arguments of `natter`; throws a `UsageError` if they are invalid. */
export function parseCommand(topics: Topic[], words: string[], environment: Environment): ParsedCommand {
  const [first, ...rest] = words
  const findTopic = (name: string | undefined): Topic | null => topics.find(topic => topic.name === name) ?? null
  if (first === undefined || first === 'help' || first === '--help' || first === '-h')
    return { help: pageOf(findTopic(rest[0]), rest[1]) }
  if (first === '--version' || first === '-v') return { version: true }
  const topic = findTopic(first)
  if (!topic) throw new UsageError(`There is no command "${first}". Run "natter --help" for those there are.`)
  if (rest.includes('--help') || rest.includes('-h')) return { help: pageOf(topic, rest[0]) }
  const { command, more } = findCommand(topic, rest)
  const hint = `Run "natter ${command.name} --help" for what it takes.`
  const { values, rest: plain } = readOptions(command, more, environment)
  const argument = argumentOf(command, plain, hint)
  const missing = command.required?.find(name => values[name] === undefined)
  if (missing !== undefined) throw new UsageError(`"natter ${command.name}" needs --${missing}. ${hint}`)
  return { command, call: { values, argument } }
}

/** Narrows a topic to one command, if the help for that command is requested. */
function pageOf(topic: Topic | null, verb: string | undefined): Topic | null {
  const command = topic?.commands.find(({ name }) => name === `${topic.name} ${verb}`)
  return topic && command ? { ...topic, commands: [command] } : topic
}

function findCommand(topic: Topic, words: string[]): { command: Command; more: string[] } {
  const [only] = topic.commands
  if (only && only.name === topic.name) return { command: only, more: words }
  const [verb, ...more] = words
  const command = topic.commands.find(({ name }) => name === `${topic.name} ${verb}`)
  if (command) return { command, more }
  const known = topic.commands.map(({ name }) => name.slice(topic.name.length + 1)).join(', ')
  const isVerb = verb !== undefined && !verb.startsWith('-')
  throw new UsageError(
    isVerb
      ? `"natter ${topic.name}" can ${known}, not "${verb}".`
      : `Say what to do: ${known}. Run "natter ${topic.name} --help" for what they do.`,
  )
}

function argumentOf({ name, metavar }: Command, words: string[], hint: string): string {
  const [argument, ...more] = words
  if (more.length > 0 || (argument !== undefined && metavar === undefined))
    throw new UsageError(`"natter ${name}" does not know what to do with "${more[0] ?? argument}". ${hint}`)
  if (!argument?.trim() && metavar !== undefined && !metavar.startsWith('['))
    throw new UsageError(`"natter ${name}" needs ${metavar}. ${hint}`)
  return argument?.trim() ?? ''
}
