import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const logs = ['-wal', '-shm', '-journal']
const day = 24 * 60 * 60 * 1000

/**
 * Runs with the name of a temporary file beside the target, and removes the file afterwards. Also removes old temporary
 * files of the same target, which killed processes have left.
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

/** Decides by age: a file that is in use is written to all the time. */
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
