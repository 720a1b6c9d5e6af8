import { CommanderError } from 'commander'
import type { Command, CommandContext, Topic } from './command.ts'
import { type Environment, readOptions } from './option.ts'
import { createProgram, forEachCommand, misuse, type ParsedWords } from './program.ts'

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

function readCall(command: Command, { texts, argument }: ParsedWords, environment: Environment) {
  const values = readOptions(command.options, texts, environment)
  if (argument.trim() === '' && command.metavar !== undefined && !command.metavar.startsWith('['))
    throw misuse(command.name, `needs ${command.metavar}`)
  const missing = command.required?.find(name => values[name] === undefined)
  if (missing !== undefined) throw misuse(command.name, `needs --${missing}`)
  return { values, argument: argument.trim() }
}
