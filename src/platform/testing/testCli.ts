import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topics } from '../cli/commands.ts'
import { parseCommand } from '../cli/program.ts'
import type { Clock } from '../clock.ts'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import type { Store } from '../store/store.ts'
import { createManualClock } from './testTenants.ts'
import { withEnvironment } from './withEnvironment.ts'

/** A folder with a database, and `natter` commands that run in this process. */
export interface TestCli {
  folder: string
  database: string
  clock: Clock & { advance(ms: number): void }
  /** Resolves to the lines on stdout. Rejects with the command's error. */
  natter(...args: string[]): Promise<string[]>
  /** The variables of the commands, which a test can add to. */
  environment: Record<string, string>
  /** The lines on stdout of all commands, also of those that have failed. */
  stdout: string[]
  /** What it has written to stderr. */
  stderr: string[]
  /** Parses the single line that it prints as JSON. */
  json(...words: string[]): Promise<Record<string, unknown>>
  /** Gives access to what was stored. */
  inspectStore<Result>(see: (store: Store) => Promise<Result>): Promise<Result>
  remove(): void
}

export function createTestCli(): TestCli {
  const folder = mkdtempSync(join(tmpdir(), 'natter-cli-'))
  const database = join(folder, 'natter.db')
  const clock = createManualClock()
  const stdout: string[] = []
  const stderr: string[] = []
  const environment: Record<string, string> = { NATTER_DATABASE: database }
  const natter = async (...args: string[]) => {
    const asked = withEnvironment(environment, () => parseCommand(topics, args))
    if (!('command' in asked)) throw new Error('This asks for help')
    const lines: string[] = []
    await asked.command.run({
      ...asked.call,
      clock,
      printLine(line) {
        lines.push(line)
        stdout.push(line)
      },
      stderr: text => void stderr.push(text),
    })
    return lines
  }
  return {
    folder,
    database,
    clock,
    natter,
    environment,
    stdout,
    stderr,
    async json(...words) {
      const [line = 'null', ...more] = await natter(...words, '--json')
      if (more.length > 0) throw new Error(`More than one line: ${more.join('\n')}`)
      return JSON.parse(line) as Record<string, unknown>
    },
    async inspectStore(see) {
      const store = await createSqliteStore({ file: database })
      try {
        return await see(store)
      } finally {
        await store.close()
      }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
