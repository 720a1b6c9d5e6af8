import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { cpuSecondsOf } from '../processes.ts'

/** Load on the machine that is not part of the benchmark. */
export interface MachineLoad {
  /** The load average of the minute before the benchmark. */
  load: number
  /** Share of all cores used by other programs or by other guests of this machine's host. */
  otherPrograms: number
}

/** Above this share, other programs may distort the results. */
const busyThreshold = 0.05

/** Starts watching. Call the returned function when all processes of the benchmark have exited. */
export function watchMachine(): () => MachineLoad {
  const [load = 0] = loadavg()
  const before = { ...readTicks(), ours: ourSeconds() }
  return () => {
    const after = { ...readTicks(), ours: ourSeconds() }
    const ours = (after.ours - before.ours) * 100
    const otherPrograms = Math.max(0, after.busy - before.busy - ours) / (after.all - before.all)
    if (otherPrograms > busyThreshold)
      process.stdout.write(
        `\nThe machine was busy: other programs used ${(otherPrograms * 100).toFixed(0)} % of it. Measure again.\n`,
      )
    return { load, otherPrograms }
  }
}

function ourSeconds(): number {
  const { own, ended } = cpuSecondsOf('self')
  return own + ended
}

/** Ticks of all cores, without interrupts, which are mostly caused by the benchmark's own network traffic. */
function readTicks(): { busy: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = line.split(/ +/).slice(1, 9).map(Number)
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = ticks
  return { busy: user + nice + system + stolen, all: ticks.reduce((sum, value) => sum + value, 0) }
}
