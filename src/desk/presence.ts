import { createThrottle } from './throttle.ts'

/** After this time without a sign of the member, it is away. */
const idleMs = 5 * 60_000
/** It is reported at most this often that the member is there: another tab may have said that it is away. */
const repeatMs = 60_000

const activities = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'focus']

/** Calls `report` with whether the member is there, again and again. Returns a function that stops it. */
export function watchPresence(
  report: (presence: 'online' | 'away') => unknown,
  target: EventTarget = window,
): () => void {
  const reporting = createThrottle(repeatMs, () => report('online'))
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  function markActive() {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => report('away'), idleMs)
    reporting.request()
  }
  for (const activity of activities) target.addEventListener(activity, markActive, { passive: true })
  markActive()
  return () => {
    for (const activity of activities) target.removeEventListener(activity, markActive)
    clearTimeout(idleTimer)
    reporting.cancel()
  }
}
