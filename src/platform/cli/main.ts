import { systemClock } from '../clock.ts'
import { createLogger } from '../http/log.ts'
import { openStore } from '../store/openStore.ts'
import { UsageError } from './command.ts'
import { topics } from './commands.ts'
import { parseCommand } from './program.ts'
import { unknownVariables } from './unknownVariables.ts'

const write = (text: string): void => void process.stdout.write(text)
const stderr = (text: string): void => void process.stderr.write(text)

/** The command `natter`. Sets the exit code: 1 if the command failed, 2 if it was used wrongly. */
export async function main(words: string[]): Promise<void> {
  // Node's own output of the error would contain tokens.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, error => {
      createLogger(stderr).fatal({ err: error }, event)
      process.exit(1)
    })
  // Ignore errors of a reader that closes the pipe early, such as `head`.
  process.stdout.on('error', () => {})
  process.exitCode = await runCommand(words, { write, stderr })
}

/** Where a command writes. */
export interface Output {
  write(text: string): void
  stderr(text: string): void
}

/** Runs a command, and reports its error. Resolves to the exit code. */
export async function runCommand(words: string[], { write, stderr }: Output): Promise<number> {
  try {
    const asked = parseCommand(topics, words)
    if ('text' in asked) write(asked.text)
    else {
      const { command, call } = asked
      // The stderr of a server is its log, with lines of JSON.
      for (const sentence of unknownVariables(process.env))
        if (command.name === 'serve') createLogger(stderr).warn(sentence)
        else stderr(`natter: ${sentence}\n`)
      await command.run({ ...call, clock: systemClock, openStore, printLine: line => write(`${line}\n`), stderr })
    }
    return 0
  } catch (error) {
    stderr(`natter: ${error instanceof Error ? error.message : error}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}
