import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that a test has started. */
export interface TestProcess {
  pid: number
  /** Everything printed so far. */
  output(): string
  stdout(): string
  stderr(): string
  /** Resolves to the first text that matches, on stdout or on stderr. Rejects if the program ends first. */
  firstMatch(pattern: RegExp): Promise<string>
  /** Resolves to the exit code, or `null` after a signal. */
  ended: Promise<number | null>
  /** Sends a signal if it still runs. */
  signal(signal: NodeJS.Signals): void
  /** The same, by default SIGTERM. Resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export function startProcess(
  command: string,
  args: string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> = {},
): TestProcess {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let hasEnded = false
  // At 'close', unlike at 'exit', everything that it has printed has been read.
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true
    return code as number | null
  })
  const printed = { all: '', stdout: '', stderr: '' }
  let more = Promise.withResolvers<void>()
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed.all += text
      printed[name] += text
      more.resolve()
      more = Promise.withResolvers()
    })
  const signal = (signal: NodeJS.Signals) => void child.kill(signal)
  return {
    pid: child.pid ?? 0,
    output: () => printed.all,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    async firstMatch(pattern) {
      for (;;) {
        const found = pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr)
        if (found) return found[0]
        if (hasEnded) throw new Error(`${command} ${args.join(' ')} has ended:\n${printed.all}`)
        await Promise.race([more.promise, ended])
      }
    },
    ended,
    signal,
    stop(by = 'SIGTERM') {
      signal(by)
      return ended
    },
  }
}
