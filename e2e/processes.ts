import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expectNoViolation } from '../src/contract/testing/openapiValidator.ts'

export const root: string = resolve(import.meta.dirname, '..')

/** A started program. */
export interface RunningProcess {
  /** Everything printed so far. */
  output(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** A running `natter serve --dev --json`, with the values that it prints. */
export interface Platform extends RunningProcess {
  baseUrl: string
  botId: string
  organizationToken: string
  /** The database file. */
  database: string
}

export interface Site extends RunningProcess {
  url: string
}

const environment = {
  // Checks each response against the OpenAPI document. A violation makes `stop()`, and so the test, fail.
  NODE_OPTIONS: `--import ${join(root, 'src/contract/testing/checkServer.ts')}`,
  // All visitors of all tests share one IP address.
  NATTER_RATE_LIMIT: '0',
}

/** Starts the platform from source, by default with a new database file. `port` 0 picks a free port. */
export async function startPlatform(options: { port?: number; database?: string } = {}): Promise<Platform> {
  const folder = options.database ? null : mkdtempSync(join(tmpdir(), 'natter-e2e-'))
  const database = options.database ?? join(folder ?? '', 'natter.db')
  const args = ['serve', '--dev', '--json', '--port', String(options.port ?? 0), '--database', database]
  const program = startProgram('src/platform/cli.ts', [...args, '--content', 'demo/content'], environment)
  const line = await program.firstMatch(/^\{.*\}$/m)
  const stop = async (signal?: NodeJS.Signals) => {
    await program.stop(signal)
    expectNoViolation(program.output())
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
  return {
    ...(JSON.parse(line) as { baseUrl: string; botId: string; organizationToken: string }),
    ...program,
    stop,
    database,
  }
}

/** Runs a command of `natter` on the platform's database and returns its output. If it fails, the error has what it says. */
export const runCli = ({ database }: Platform, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'src/platform/cli.ts'), ...args, '--database', database], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()

/** Creates an organization with a bot that allows the origin, and returns the bot's id. */
export function createBot(platform: Platform, origin: string): string {
  const organization = runCli(platform, 'org', 'create', '--name', 'Shop')
  return runCli(platform, 'bot', 'create', '--organization', organization, '--name', 'Shop', '--origin', origin)
}

/** Starts the demo site with the given platform, or with its embedded one. */
export async function startSite(platform?: Platform): Promise<Site> {
  const environment = platform
    ? {
        NATTER_BASE_URL: platform.baseUrl,
        NATTER_BOT_ID: platform.botId,
        NATTER_ORGANIZATION_TOKEN: platform.organizationToken,
      }
    : {}
  const program = startProgram('demo/start.ts', [], { ...environment, PORT: '0' })
  return { ...program, url: await program.firstMatch(/http:\/\/\S+/) }
}

/** A program of this repository that runs from source. */
export interface Program extends RunningProcess {
  /** Resolves to the first printed text that matches. Rejects if the program exits first. */
  firstMatch(pattern: RegExp): Promise<string>
  pid: number
  /** Resolves to the exit code, or `null` after a signal. */
  ended: Promise<number | null>
}

/** Starts a program of this repository from source. */
export function startProgram(file: string, args: string[], environment: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  return {
    pid: child.pid ?? 0,
    ended: once(child, 'close').then(([code]) => code as number | null),
    output: () => printed,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => end(child, signal),
    async firstMatch(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(printed)
        if (found) return found[0]
        if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}:\n${printed}`)
        await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      }
    },
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
}
