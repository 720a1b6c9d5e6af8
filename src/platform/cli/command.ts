import { CommanderError } from 'commander'
import type { Clock } from '../clock.ts'
import { type Environment, type Options, readOptions, type ValuesOf } from './option.ts'
import { createProgram, forEachCommand, misuse } from './program.ts'

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

/** What the arguments of `natter` ask for: a text, such as help, or to run a command. */
export type ParsedCommand = { text: string } | { command: Command; call: Pick<CommandContext, 'values' | 'argument'> }

/** Parses the arguments of `natter`; throws a `UsageError` if they are invalid. */
export function parseCommand(topics: Topic[], words: string[], environment: Environment): ParsedCommand {
  let text = ''
  let parsed: ParsedCommand | undefined
  const program = createProgram(topics, words, (command, call) => {
    parsed = { command, call: readCall(command, call, environment) }
  })
  const writeOut = (part: string): void => {
    text += part
  }
  forEachCommand(program, each => each.configureOutput({ writeOut, writeErr: writeOut, outputError: () => {} }))
  try {
    program.parse(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
  }
  return parsed ?? { text }
}

/** What commander found in the arguments of a command. */
export interface ParsedWords {
  /** The texts of each option by its name; `[]` for a flag without a value. */
  texts: Map<string, string[]>
  argument: string
}

function readCall(command: Command, { texts, argument }: ParsedWords, environment: Environment) {
  const values = readOptions(command.options, texts, environment)
  if (argument.trim() === '' && command.metavar !== undefined && !command.metavar.startsWith('['))
    throw misuse(command.name, `needs ${command.metavar}`)
  const missing = command.required?.find(name => values[name] === undefined)
  if (missing !== undefined) throw misuse(command.name, `needs --${missing}`)
  return { values, argument: argument.trim() }
}
