import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A runtime for JavaScript besides Node. Its npm package has an optional dependency with the program for each system. */
interface Runtime {
  command: string
  /** A variable that names the program. */
  variable: string
  package: string
  /** Where its program is below `node_modules`. */
  program: string
}

export const runtimes = {
  Bun: { command: 'bun', variable: 'NATTER_BUN', package: 'bun@1.4.5', program: '@oven/bun-*/bin/bun' },
  Deno: { command: 'deno', variable: 'NATTER_DENO', package: 'deno@2.9.6', program: '@deno/*/deno' },
} satisfies Record<string, Runtime>

const cache = join(import.meta.dirname, '../../../node_modules/.cache/natter')

/**
 * The path of a runtime's program: from its variable, `PATH`, or its npm package, unpacked beside the dependencies.
 * Otherwise `undefined`.
 */
export function findRuntime({ command, variable, ...rest }: Runtime): string | undefined {
  const named = process.env[variable]
  if (named) return named
  return spawnSync(command, ['--version']).status === 0 ? command : unpack({ command, ...rest })
}

/** Not a dependency: the two have 200 MB, and only one test uses them. */
function unpack({ command, package: name, program }: Omit<Runtime, 'variable'>): string | undefined {
  const folder = join(cache, name)
  const find = (): string | undefined =>
    globSync(`node_modules/${program}`, { cwd: folder }).map(file => join(folder, file))[0]
  const existing = find()
  if (existing) return existing
  mkdirSync(cache, { recursive: true })
  const own = mkdtempSync(join(cache, `${command}-`))
  try {
    // The install scripts only copy the program.
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0']
    execFileSync('npm', ['install', '--prefix', own, ...options, name], { stdio: 'ignore', timeout: 120_000 })
    renameSync(own, folder)
    const found = find()
    if (found) chmodSync(found, 0o755)
    return found
  } catch {
    // Another run may have been faster.
    return find()
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
