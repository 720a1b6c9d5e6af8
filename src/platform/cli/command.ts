import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import type { CliOption, ValuesOf } from './option.ts'

/** A mistake on the command line or in the configuration. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What a command's `run` gets. */
export interface CommandContext<Options extends readonly CliOption[] = []> {
  values: ValuesOf<Options>
  /** The positional argument, `''` if there is none. */
  argument: string
  clock: Clock
  /** Opens the store of a database. */
  openStore(database: string): Promise<Store>
  /** Writes a line to stdout. */
  printLine(line: string): void
  /** Writes to stderr, without a line break. */
  stderr(text: string): void
}

/** One command of `natter`. */
export interface Command<Options extends readonly CliOption[] = readonly CliOption[]> {
  /** `serve`, or topic and verb: `bot create`. */
  name: string
  /** The positional argument: `<BOT>`, or `[BOT]` if it is optional. */
  positional?: string
  /** What it does, in a few words, for the help. */
  summary: string
  /** In the order of the help. */
  options: Options
  /** A note at the end of its help; default: that of its topic. */
  note?: string
  run(call: CommandContext<Options>): Promise<void>
}

/** A group of commands with a page of help. */
export interface Topic {
  name: string
  /** What its commands do, in a few words. */
  summary: string
  /** A note at the end of its help. */
  note: string
  commands: Command[]
}

/** Defines a command. Its `run` gets the exact types of its options, which the list of commands does not need. */
export const command = <const Options extends readonly CliOption[]>(definition: Command<Options>): Command =>
  definition as unknown as Command
