import { type ReadonlySignal, signal } from '@preact/signals'
import { createThrottle } from './throttle.ts'

/** Whether the member is at the desk. */
export interface Presence {
  readonly isHere: ReadonlySignal<boolean>
  /** Follows the member. Returns a function that stops it. */
  start(): () => void
}

/** Idle time after which a member counts as away. */
const idleMs = 5 * 60_000
/** It is reported at most this often that the member is there: another tab may have said that it is away. */
const repeatMs = 60_000

const activities = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'focus']

/** Calls `report` with whether the member is there, again and again. */
export function createPresence(
  report: (presence: 'online' | 'away') => unknown,
  target: EventTarget = window,
): Presence {
  const isHere = signal(true)
  const reporting = createThrottle(repeatMs, () => report('online'))
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  function markActive() {
    isHere.value = true
    clearTimeout(idleTimer)
    idleTimer = setTimeout(markIdle, idleMs)
    reporting.request()
  }
  function markIdle() {
    isHere.value = false
    report('away')
  }
  return {
    isHere,
    start() {
      for (const activity of activities) target.addEventListener(activity, markActive, { passive: true })
      markActive()
      return () => {
        for (const activity of activities) target.removeEventListener(activity, markActive)
        clearTimeout(idleTimer)
        reporting.cancel()
      }
    },
  }
}
