import { Argument, CommanderError, type Option, Command as Program } from 'commander'
import { redact } from '../http/redact.ts'
import { version } from '../packageFiles.ts'
import { type Command, type CommandContext, type Topic, UsageError } from './command.ts'
import { isVariableOnly, refuse } from './option.ts'

/** What the arguments of `natter` ask for: a text, such as help, or to run a command. */
export type ParsedCommand =
  | { text: string }
  | { command: Command; call: Pick<CommandContext, 'argument'> & { values: never } }

/** Parses the arguments of `natter` and its variables in `process.env`; throws a `UsageError` if they are invalid. */
export function parseCommand(topics: (Topic | Command)[], words: string[]): ParsedCommand {
  // A compose file passes an empty variable for `${NOTHING:-}`.
  for (const [name, value] of Object.entries(process.env))
    if (value === '' && name.startsWith('NATTER_')) delete process.env[name]
  const asked: ParsedCommand[] = []
  let text = ''
  const writeOut = (part: string): void => {
    text += part
  }
  const root = settle(new Program('natter'))
    .description('Natter, the platform behind the chat widget.')
    .version(version, '-v, --version', 'Print the version')
    .addHelpText('after', '\nTo try it out: natter serve --dev')
    .configureOutput({ writeOut, writeErr: writeOut, outputError: () => {} })
    .configureHelp({
      helpWidth: 118,
      optionTerm: option => (isVariableOnly(option) ? String(option.envVar) : option.flags),
    })
  const add = (group: Program, command: Command, note = ''): void => {
    const program = addCommand(group, command).addHelpText('after', `\n${note}`)
    program.action(() => {
      checkWords(program, words)
      const call = { values: program.opts() as never, argument: String(program.processedArgs[0] ?? '') }
      asked.push({ command, call })
    })
  }
  for (const topic of topics) {
    if ('commands' in topic) {
      const { name, summary, note, commands } = topic
      const group = settle(root.command(name)).description(summary).addHelpText('after', `\n${note}`)
      for (const command of commands) add(group, command, note)
    } else add(root, topic, topic.note)
  }
  try {
    root.parse(words, { from: 'user' })
  } catch (error) {
    // Help and the version end the parser by an error, too.
    if (!(error instanceof CommanderError)) throw error
  }
  return asked[0] ?? { text }
}

/** Gives a command the words of its help, and turns commander's errors into ours. */
function settle(program: Program): Program {
  return program.helpOption('-h, --help', 'Show this help').exitOverride(error => {
    if (error.exitCode === 0 || (error.code === 'commander.help' && !program.parent)) throw error
    throw misuse(program, sentenceOf(error, program))
  })
}

function addCommand(group: Program, { name, positional, summary, options }: Command): Program {
  const program = settle(group.command(name.split(' ').at(-1) ?? '')).description(summary)
  if (positional)
    program.addArgument(new Argument(positional).argParser(text => text.trim() || refuse('Must not be blank.')))
  for (const option of options) program.addOption(option as Option)
  const needed = program.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  return program.usage([...(positional ? [positional] : []), ...needed, '[options]'].join(' '))
}

/** Refuses what commander would accept: a flag for a variable, and a flag as the value of another. */
function checkWords(program: Program, words: string[]): void {
  for (const option of program.options) {
    const { long = '', envVar, flags, required } = option
    if (isVariableOnly(option) && program.getOptionValueSource(option.attributeName()) === 'cli')
      throw misuse(program, `has no ${long}, only the variable ${envVar}`)
    if (required && words.some((word, index) => word === long && words[index + 1]?.startsWith('--')))
      throw misuse(program, `needs ${flags.slice(long.length + 1)} after ${long}`)
  }
}

/** The error for a command that was used wrongly. The sentence continues after the command's name. */
function misuse(program: Program, sentence: string): UsageError {
  const command = nameOf(program)
  return new UsageError(`"${command}" ${sentence}. Run "${command} --help" for what it takes.`)
}

const nameOf = (program: Program): string =>
  program.parent ? `${nameOf(program.parent)} ${program.name()}` : program.name()

function sentenceOf({ code, message }: CommanderError, { commands, options }: Program): string {
  const known = commands.map(command => command.name()).join(', ')
  if (code === 'commander.help') return `needs one of ${known}`
  const [, long, ofVariable, ofFlag = '', sentence = ''] = invalidValue.exec(message) ?? []
  const option = options.find(option => option.long === long)
  if (option) throw new UsageError(`${describe(option)} ${inSentence(sentence)}${shown(option, ofVariable ?? ofFlag)}.`)
  // Commander repeats a flag with its value, which may be a secret in the wrong place.
  const text = redact(message.replace(/^error: /, '').replace(/'(--[^=']+)=[^']*'/, "'$1'"))
    .replaceAll('\n', ' ')
    .replace(/\.$/, '')
  return code === 'commander.unknownCommand' ? `has the commands ${known}: ${text}` : `was called wrongly: ${text}`
}

const invalidValue =
  /^error: option '(--\S+) .*?' (?:value '(.*)' from env '\w+'|argument '(.*)') is invalid\. (.*)\.$/s
const inSentence = (sentence: string): string =>
  sentence.replace(/^Allowed choices are/, 'must be one of').replace(/^M/, 'm')

/** An option by its flag and its variable. */
const describe = (option: Option): string =>
  isVariableOnly(option) ? String(option.envVar) : `${option.long}${option.envVar ? ` (${option.envVar})` : ''}`

/** A refused value, without the password that a URL may contain before the @ and after the ?. */
function shown(option: Option, value: string): string {
  if (isVariableOnly(option)) return ''
  const bare = value.replace(/:.*@/s, ':…@').replace(/^([a-z+]+:[^?]*\?).+/is, '$1…')
  return `, not ${JSON.stringify(bare.length > 80 ? `${bare.slice(0, 80)}…` : bare)}`
}
