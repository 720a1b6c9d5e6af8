import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { expectNoViolation } from '../../contract/testing/openapiValidator.ts'
import { type Output, runCommand } from '../cli/main.ts'
import { withEnvironment } from './withEnvironment.ts'

const cli = join(import.meta.dirname, '..', 'cli.ts')
/** Checks each response of the server against the OpenAPI document. */
const checking = ['--import', join(import.meta.dirname, '../../contract/testing/checkServer.ts')]
const execute = promisify(execFile)

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

/** Runs `natter` to completion in a separate process. */
export async function runProcess(args: string[], variables: Variables = {}): Promise<ProcessResult> {
  const env = { ...process.env, ...variables }
  const ended = execute(process.execPath, [cli, ...args], { env, timeout: 20_000 })
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout: stdout.trim(), stderr }),
    (error: ProcessResult) => error,
  )
}

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
  lines: string[]
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

const children = new Set<ChildProcessByStdio<null, Readable, Readable>>()

/** Starts `natter serve` in a separate process. Resolves when it accepts requests. */
export async function serve(args: string[], variables: Variables = {}): Promise<RunningServer> {
  const all = ['serve', '--json', '--port', '0', ...args]
  const env = { ...process.env, ...variables }
  const child = spawn(process.execPath, [...checking, cli, ...all], { stdio: ['ignore', 'pipe', 'pipe'], env })
  children.add(child)
  const closed = once(child, 'close') as Promise<[number | null]>
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', line => lines.push(line))
  await Promise.race([once(reader, 'line'), closed])
  if (lines[0] === undefined) throw new Error(log)
  return {
    ...(JSON.parse(lines[0]) as Pick<RunningServer, 'baseUrl' | 'botId' | 'organizationToken'>),
    lines,
    log: () => log,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code] = await closed
      children.delete(child)
      expectNoViolation(log)
      return code
    },
  }
}

/** Stops every server that a test has left running. */
export function killServers(): void {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
}
