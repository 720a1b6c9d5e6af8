import { join } from 'node:path'
import { topics } from '../cli/commands.ts'
import { parseCommand } from '../cli/program.ts'
import { openStore } from '../store/openStore.ts'
import type { Store } from '../store/store.ts'
import { createInlineWorker } from './inlineWorker.ts'
import { createTemporaryFolder } from './temporaryFolder.ts'
import { createManualClock } from './testTenants.ts'
import { withEnvironment } from './withEnvironment.ts'

export type TestCli = Awaited<ReturnType<typeof createTestCli>>

/**
 * A folder with a database, in which there is an organization, and `natter` commands that run in this process. The folder
 * is removed when the test has finished.
 */
export async function createTestCli() {
  const folder = createTemporaryFolder()
  const database = join(folder, 'natter.db')
  const clock = createManualClock()
  const stdout: string[] = []
  const stderr: string[] = []
  const environment: Record<string, string> = { NATTER_DATABASE: database }

  const open = (file: string) => openStore(file, { createWorker: createInlineWorker })

  /** Resolves to the lines on stdout. Rejects with the command's error. */
  const natter = async (...args: string[]): Promise<string[]> => {
    const asked = withEnvironment(environment, () => parseCommand(topics, args))
    if (!('command' in asked)) throw new Error('This asks for help')
    const lines: string[] = []
    await asked.command.run({
      ...asked.call,
      clock,
      openStore: open,
      printLine(line) {
        lines.push(line)
        stdout.push(line)
      },
      stderr: text => void stderr.push(text),
    })
    return lines
  }
  /** Parses the single line that it prints as JSON. */
  const json = async (...args: string[]): Promise<Record<string, unknown>> => {
    const [line = 'null', ...more] = await natter(...args, '--json')
    if (more.length > 0) throw new Error(`More than one line: ${more.join('\n')}`)
    return JSON.parse(line) as Record<string, unknown>
  }
  /** Gives access to what was stored. */
  const inspectStore = async <Result>(see: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = await open(database)
    try {
      return await see(store)
    } finally {
      await store.close()
    }
  }
  const [organization = ''] = await natter('org', 'create', '--name', 'Acme')

  return {
    ...{ folder, database, clock, natter, json, inspectStore, organization },
    /** The variables of the commands, which a test can add to. */
    environment,
    /** The lines on stdout of all commands, also of those that have failed. */
    stdout,
    /** What they have written to stderr. */
    stderr,
    /** Creates a bot, and resolves to what is printed of it. */
    async createBot(...args: string[]) {
      const made = await json('bot', 'create', '--organization', organization, '--name', 'Shop', ...args)
      return { ...made, id: String(made['id']) } as { id: string; webhookSecret?: string; eventsSecret?: string }
    },
    updateBot: (id: string, ...args: string[]) => json('bot', 'update', id, ...args),
    storedBot: (id: string) => inspectStore(store => store.findBot(id)),
  }
}
