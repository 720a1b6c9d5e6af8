import { join } from 'node:path'
import { expectNoViolation } from '../../contract/testing/openapiValidator.ts'
import { startProcess, type TestProcess } from '../../testProcess.ts'
import { type Output, runCommand } from '../cli/main.ts'
import { withEnvironment } from './withEnvironment.ts'

const cli = join(import.meta.dirname, '..', 'cli.ts')
/** Checks each response of the server against the OpenAPI document. */
const checking = ['--import', join(import.meta.dirname, '../../contract/testing/checkServer.ts')]

type Variables = Record<string, string>
export interface ProcessResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs `natter` to completion in this process, which takes much less time than another one. */
export async function run(args: string[], variables: Variables = {}): Promise<ProcessResult> {
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

const started = new Set<TestProcess>()

function startNode(words: string[], variables: Variables = {}): TestProcess {
  const child = startProcess(process.execPath, words, { env: { ...process.env, ...variables } })
  started.add(child)
  return child
}

/** Starts `natter` in a separate process. */
export const startCommand = (args: string[], variables?: Variables): TestProcess => startNode([cli, ...args], variables)

/** Returns the output of a command in this process. Throws if it fails. */
export async function natter(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args)
  if (code !== 0) throw new Error(stderr)
  return stdout
}

export interface RunningServer {
  baseUrl: string
  botId: string
  organizationToken: string
  /** Everything it has printed. */
  printed(): string
  log(): string
  /** Sends a signal and resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
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

/** Starts `natter serve` in a separate process. Resolves when it accepts requests. */
export async function serve(args: string[], variables?: Variables): Promise<RunningServer> {
  const child = startNode([...checking, cli, 'serve', '--json', '--port', '0', ...args], variables)
  const line = await child.firstMatch(/^\{"baseUrl".*(?=\n)/)
  return {
    ...(JSON.parse(line) as Pick<RunningServer, 'baseUrl' | 'botId' | 'organizationToken'>),
    printed: child.stdout,
    log: child.stderr,
    async stop(signal) {
      const code = await child.stop(signal)
      expectNoViolation(child.stderr())
      return code
    },
  }
}

/** Kills every process that a test has left running. */
export function killServers(): void {
  for (const child of started) child.signal('SIGKILL')
  started.clear()
}
