import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'
import { expectNoViolation } from '../../contract/testing/openapiValidator.ts'
import { startProcess, type TestProcess } from '../../testProcess.ts'
import { type Output, runCommand } from '../cli/main.ts'
import { withEnvironment } from './withEnvironment.ts'

const cli = join(import.meta.dirname, '..', 'cli.ts')
/** Checks each response of the server against the OpenAPI document. */
const checking = ['--import', join(import.meta.dirname, '../../contract/testing/checkServer.ts')]

type Variables = Record<string, string>

/** Runs `natter` to completion in this process, which takes much less time than another one. */
export async function run(args: string[], variables: Variables = {}) {
  let [stdout, stderr] = ['', '']
  const output: Output = {
    write(text) {
      stdout += text
    },
    stderr(text) {
      stderr += text
    },
  }
  // The arguments and variables are read at once.
  const code = await withEnvironment({ ...process.env, ...variables }, () => runCommand(args, output))
  return { code, stdout: stdout.trim(), stderr }
}

/** Returns the output of a command in this process. Throws if it fails. */
export async function natter(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args)
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** Starts `natter` in a separate process. If a test starts it, it is killed when the test has finished. */
export function startNatter(args: string[], variables: Variables = {}, preload: string[] = []): TestProcess {
  const env = { ...process.env, ...variables }
  const program = startProcess(process.execPath, [...preload, cli, ...args], { env })
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await program.stop('SIGKILL')))
  return program
}

export interface RunningServer extends Pick<TestProcess, 'stdout' | 'stop'> {
  baseUrl: string
  botId: string
  organizationToken: string
  log(): string
}

/** Starts `natter serve` in a separate process. Resolves when it accepts requests. */
export async function serve(args: string[], variables: Variables = {}): Promise<RunningServer> {
  const { firstMatch, stdout, stderr, stop } = startNatter(
    ['serve', '--json', '--port', '0', ...args],
    variables,
    checking,
  )
  return {
    ...(JSON.parse(await firstMatch(/^\{"baseUrl".*\}$/m)) as Omit<RunningServer, 'stdout' | 'stop' | 'log'>),
    stdout,
    log: stderr,
    async stop(signal) {
      const code = await stop(signal)
      expectNoViolation(stderr())
      return code
    },
  }
}

/** Calls a path of the bot's API with a token, or without credentials if it is `''`. */
export const callBot = (
  { baseUrl, botId }: Pick<RunningServer, 'baseUrl' | 'botId'>,
  token: string,
  method: string,
  path: string,
  json?: object,
): Promise<Response> =>
  fetch(`${baseUrl}/v1/bots/${botId}${path}`, {
    method,
    headers: { ...(token && { authorization: token }), ...(json && { 'content-type': 'application/json' }) },
    body: json ? JSON.stringify(json) : null,
  })
