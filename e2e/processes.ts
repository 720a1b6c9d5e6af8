import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expectNoViolation } from '../src/contract/testing/openapiValidator.ts'
import { startProcess, type TestProcess } from '../src/testProcess.ts'

export const root: string = resolve(import.meta.dirname, '..')

/** A running `natter serve --dev --json`, with the values that it prints. */
export interface Platform extends Pick<TestProcess, 'output' | 'stop'> {
  baseUrl: string
  botId: string
  organizationToken: string
  /** The database file. */
  database: string
}

export interface Site extends Pick<TestProcess, 'output' | 'stop'> {
  url: string
}

const environment = {
  // Checks each response against the OpenAPI document. A violation makes `stop()`, and so the test, fail.
  NODE_OPTIONS: `--import ${join(root, 'src/contract/testing/checkServer.ts')}`,
  // All visitors of all tests share one IP address.
  NATTER_RATE_LIMIT: '0',
}

/** Starts the platform as it was built, by default with a new database file. `port` 0 picks a free port. */
export async function startPlatform(
  options: { port?: number; database?: string; variables?: Record<string, string> } = {},
): Promise<Platform> {
  const folder = options.database ? null : mkdtempSync(join(tmpdir(), 'natter-e2e-'))
  const database = options.database ?? join(folder ?? '', 'natter.db')
  const args = ['serve', '--dev', '--json', '--port', String(options.port ?? 0), '--database', database]
  const program = startProgram('dist/cli.js', [...args, '--content', 'demo/content'], {
    ...environment,
    ...options.variables,
  })
  const line = await program.firstMatch(/^\{"baseUrl".*\}$/m)
  const stop = async (signal?: NodeJS.Signals) => {
    const code = await program.stop(signal)
    expectNoViolation(program.output())
    if (folder) rmSync(folder, { recursive: true, force: true })
    return code
  }
  return {
    ...(JSON.parse(line) as { baseUrl: string; botId: string; organizationToken: string }),
    ...program,
    stop,
    database,
  }
}

/** Runs a command of `natter` on the platform's database and returns its output. If it fails, the error has what it says. */
export const runCli = ({ database }: Pick<Platform, 'database'>, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), ...args, '--database', database], {
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

/** Starts a program of this repository. */
export const startProgram = (file: string, args: string[], environment: Record<string, string> = {}): TestProcess =>
  startProcess(process.execPath, [join(root, file), ...args], { cwd: root, env: { ...process.env, ...environment } })
