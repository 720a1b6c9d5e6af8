import { administer } from './administration.ts'
import { type Command, parseCommand, UsageError } from './config.ts'
import { helpText } from './help.ts'
import { createLogger } from './middleware/log.ts'
import { version } from './packageFiles.ts'
import { startPlatform } from './start.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const log = (line: string): void => void process.stderr.write(line)

/** The command `natter`: does what the words say, and sets the exit code. */
export async function main(words: string[]): Promise<void> {
  // Node would print such an error whole, with whatever a token has got into.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, error => {
      createLogger(log).fatal({ err: error }, event)
      process.exit(1)
    })
  try {
    await run(parseCommand(words))
  } catch (error) {
    process.stderr.write(`natter: ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

async function run(command: Command): Promise<void> {
  if (command.name === 'help') process.stdout.write(helpText(command.topic))
  else if (command.name === 'version') print(version)
  else if (command.name === 'serve') await serve(command)
  else for (const line of await administer(command)) print(line)
}

async function serve({ json, ...options }: Extract<Command, { name: 'serve' }>): Promise<void> {
  const { close, ...access } = await startPlatform({ ...options, log })
  const { baseUrl, botId, organizationToken } = access
  if (json) print(JSON.stringify(access))
  else print(`Natter listens on ${baseUrl}`)
  if (!json && botId && organizationToken) {
    print(`  bot                  ${botId}`)
    print(`  organization token   ${organizationToken}   (this start's, shown once; keep it on your server)`)
    print(`  script tag           <script src="${baseUrl}/natter.js" data-bot-id="${botId}" async></script>`)
  }

  let stopping = false
  const stop = async (): Promise<void> => {
    // Whoever asks twice does not want to wait.
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), 9_500).unref()
    await close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
