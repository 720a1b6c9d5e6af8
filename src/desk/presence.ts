import { createThrottle } from './throttle.ts'

/** After this time without a sign of the member, it is away. */
const idleMs = 5 * 60_000
/** It is told at most this often that the member is there: another tab may have said that it is away. */
const repeatMs = 60_000

const activities = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'focus']

/** Calls `tell` with whether the member is there, again and again. Returns a function that stops it. */
export function watchPresence(
  tell: (presence: 'online' | 'away') => unknown,
  target: EventTarget = window,
): () => void {
  const beingThere = createThrottle(repeatMs, () => tell('online'))
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  function beThere() {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => tell('away'), idleMs)
    beingThere.request()
  }
  for (const activity of activities) target.addEventListener(activity, beThere, { passive: true })
  beThere()
  return () => {
    for (const activity of activities) target.removeEventListener(activity, beThere)
    clearTimeout(idleTimer)
    beingThere.cancel()
  }
}
