import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expectNoViolation } from '../src/contract/testing/openapiValidator.ts'

export const root: string = resolve(import.meta.dirname, '..')

/** A started program: all it has printed so far, and its end. */
export interface Running {
  output(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** What `natter serve --dev --json` prints, and the means to look at and end it. */
export interface Platform extends Running {
  baseUrl: string
  botId: string
  organizationToken: string
  /** The database file. */
  database: string
}

export interface Site extends Running {
  url: string
}

const environment = {
  // Each of the platform's answers is held against its OpenAPI document; a breach fails its end, and so the tests.
  NODE_OPTIONS: `--import ${join(root, 'src/contract/testing/checkServer.ts')}`,
  // All the visitors of all the tests have one address.
  NATTER_RATE_LIMIT: '0',
}

/** Starts the platform from source on a database file of its own; `port` 0 picks a free one. */
export async function startPlatform(options: { port?: number; database?: string } = {}): Promise<Platform> {
  const folder = options.database ? null : mkdtempSync(join(tmpdir(), 'natter-e2e-'))
  const database = options.database ?? join(folder ?? '', 'natter.db')
  const words = ['serve', '--dev', '--json', '--port', String(options.port ?? 0), '--database', database]
  const program = start('src/platform/cli.ts', [...words, '--content', 'demo/content'], environment)
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

/** Gives a command of `natter` the platform's database; what it prints. */
export const natter = ({ database }: Platform, ...words: string[]): string =>
  execFileSync(process.execPath, [join(root, 'src/platform/cli.ts'), ...words, '--database', database], {
    encoding: 'utf8',
  }).trim()

/** Starts the demo, pointed at a platform, or on the embedded one. */
export async function startSite(platform?: Platform): Promise<Site> {
  const environment = platform
    ? {
        NATTER_BASE_URL: platform.baseUrl,
        NATTER_BOT_ID: platform.botId,
        NATTER_ORGANIZATION_TOKEN: platform.organizationToken,
      }
    : {}
  const program = start('demo/server.ts', [], { ...environment, PORT: '0' })
  return { ...program, url: await program.firstMatch(/http:\/\/\S+/) }
}

/** A program of this repository, run from source. */
export interface Program extends Running {
  /** Resolves to the first text printed that matches, and rejects where the program ends before. */
  firstMatch(pattern: RegExp): Promise<string>
  pid: number
  /** Resolves to the exit code, `null` where a signal has ended it. */
  ended: Promise<number | null>
}

/** Starts a program of this repository from source. */
export function start(file: string, words: string[], environment: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [join(root, file), ...words], {
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
