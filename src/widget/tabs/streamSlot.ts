import { untilAborted } from '../async/timing.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'

/** The only slot of hidden tabs. Visible ones also prefer it, so that a tab alone need not change slots. */
const sharedSlot = 'shared'
const allSlots = [sharedSlot, 'visible 1', 'visible 2']
/** A tab that has been hidden for this long leaves its slot to the others. */
const hiddenMs = 60_000

/**
 * Calls `openStream` while this tab has one of the three slots of the origin, which are Web Locks: over HTTP/1.1 a browser has
 * six connections to a host. A tab that stays hidden keeps or gets only the shared slot, so all hidden tabs have one
 * stream. Without locks each tab has a slot.
 */
export function holdStreamSlot(
  { page, clock }: { page: Page; clock: Clock },
  name: string,
  abortSignal: AbortSignal,
  openStream: (abortSignal: AbortSignal) => Promise<void>,
): void {
  let held: string | undefined
  let request = new AbortController()
  let cancelTimer = () => {}

  /** Leaves the slot, and waits for one of these. */
  function change(slots: string[]): void {
    request.abort(0)
    request = new AbortController()
    const { signal } = request
    held = undefined
    for (const slot of slots) {
      void page.withLock(`${name}:stream:${slot}`, signal, async () => {
        // One slot is enough.
        if (held || signal.aborted) return
        held = slot
        await Promise.race([openStream(signal), untilAborted(signal)])
      })
    }
  }

  function onVisibilityChange(): void {
    cancelTimer()
    if (!page.isHidden()) {
      if (!held) change(allSlots)
    } else if (held !== sharedSlot) cancelTimer = clock.setTimeout(() => change([sharedSlot]), hiddenMs)
  }

  change(page.isHidden() ? [sharedSlot] : allSlots)
  const stopWatching = page.on('visibilitychange', onVisibilityChange)
  abortSignal.addEventListener('abort', () => {
    request.abort(0)
    cancelTimer()
    stopWatching()
  })
}
