import { readFileSync } from 'node:fs'

/** The resident memory of a process, in bytes. Linux only. */
export function readResidentBytes(pid: number): number {
  const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}
