import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { cpuSecondsOf } from '../processes.ts'

/** What the machine did beside what was measured. */
export interface Meanwhile {
  /** The load average of the minute before. */
  load: number
  /** Share of all cores that other programs took, and that this machine's host kept for others. */
  others: number
}

/** Ours: what others take beyond this share may well be seen in the figures. */
const busyFrom = 0.05

/** Watches the machine until its result is called, when all that was started for the bench has ended. */
export function watchMachine(): () => Meanwhile {
  const [load = 0] = loadavg()
  const before = { ...readTicks(), ours: ourSeconds() }
  return () => {
    const after = { ...readTicks(), ours: ourSeconds() }
    const ours = (after.ours - before.ours) * 100
    const others = Math.max(0, after.busy - before.busy - ours) / (after.all - before.all)
    if (others > busyFrom)
      process.stdout.write(`\nThe machine was busy: others took ${(others * 100).toFixed(0)} % of it. Measure again.\n`)
    return { load, others }
  }
}

function ourSeconds(): number {
  const { own, ended } = cpuSecondsOf('self')
  return own + ended
}

/** Ticks of all cores; interrupts are left out, as they are mostly the bench's own network. */
function readTicks(): { busy: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = line.split(/ +/).slice(1, 9).map(Number)
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = ticks
  return { busy: user + nice + system + stolen, all: ticks.reduce((sum, value) => sum + value, 0) }
}
