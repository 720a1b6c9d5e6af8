import type { Clock } from '../clock.ts'
import type { Options, ValuesOf } from './option.ts'

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
