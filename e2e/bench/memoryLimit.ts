import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the memory controller: cgroups version 1 has one folder per controller, version 2 one for all. */
const controllers = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
]

/**
 * Limits the memory of a process, including its cached file pages, from now on. Linux drops the least recently used pages.
 * Requires root. Call the returned function after the process has exited.
 */
export function limitMemory(pid: number, bytes: number): () => void {
  const controller = controllers.find(
    ({ folder, limit }) => existsSync(join(folder, 'natter-bench', limit)) || create(folder, limit),
  )
  if (!controller) throw new Error('Limiting the memory of a process needs root and the memory controller of cgroups.')
  const group = join(controller.folder, 'natter-bench')
  writeFileSync(join(group, controller.limit), String(bytes))
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
  return () => rmdirSync(group)
}

/** Whether a cgroup with that limit can be created. */
function create(folder: string, limit: string): boolean {
  const group = join(folder, 'natter-bench')
  try {
    mkdirSync(group)
  } catch {
    return false
  }
  if (existsSync(join(group, limit))) return true
  rmdirSync(group)
  return false
}

/** Drops the cached pages of a file. */
export function dropCachedPages(file: string): void {
  execFileSync('sync', [file])
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}
