import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const logs = ['-wal', '-shm', '-journal']
const day = 24 * 60 * 60 * 1000

/**
 * Runs with a name beside the target that does not outlive it. Removes what runs for the same target have left that
 * were killed.
 */
export function atomicWrite<Result>(target: string, run: (partial: string) => Result): Result {
  removeStale(target)
  const partial = `${target}.${randomUUID()}.partial`
  try {
    return run(partial)
  } finally {
    for (const log of ['', ...logs]) rmSync(partial + log, { force: true })
  }
}

/** By their age: who works with one writes to it all the time. */
function removeStale(target: string): void {
  const folder = dirname(target)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(target)}.`)) continue
    const rest = name.slice(basename(target).length + 1)
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial(?:-wal|-shm|-journal)?$/.test(rest)) continue
    const path = join(folder, name)
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed !== undefined && changed < Date.now() - day) rmSync(path, { force: true })
  }
}
