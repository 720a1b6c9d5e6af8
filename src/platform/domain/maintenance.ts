import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { announce } from './announce.ts'
import { deleteContact, publishErasure } from './contacts.ts'
import { timestamp } from './time.ts'

const day = 24 * 60 * 60 * 1000
/** The time for which an ended session is kept, so that the widget can say why the visitor was logged out. */
const keptFor = 30 * day
const expiryBatchSize = 100
/** The time for which the owner of a conversation may be away while its visitor waits. */
const ownerAwayMs = 10 * 60 * 1000
/** Every node records this often which members have an open stream. */
export const presenceRoundMs = 30_000
/** The time after which the responder answers a visitor again for whom nobody of the team had time. */
export const defaultHandoverTimeoutMs = 30 * 60 * 1000

/** A quarter of the shortest lease, so that the warning comes before anything goes wrong. */
const maxSkewMs = 2_000

export interface MaintenanceOptions {
  store: Pick<
    Store,
    'expirePauses' | 'releaseConversations' | 'listInterruptedDeletions' | 'deleteContact' | 'purge' | 'now'
  >
  bus: Bus
  clock: Clock
  handoverTimeoutMs: number
  /** Days without a message after which a conversation's messages are deleted; default: never. */
  retentionDays?: number | undefined
  /** Called when this clock and the store's begin to differ, with how far this one is ahead, and with 0 when they agree again. */
  onSkew: (aheadMs: number) => void
}

/** What every node does again and again, because the node on which something began may be gone. */
export type Maintenance = ReturnType<typeof createMaintenance>

export function createMaintenance({ store, bus, clock, handoverTimeoutMs, retentionDays, onSkew }: MaintenanceOptions) {
  let isSkewed = false
  /** When the last sweep for conversations to release began that reached the store. */
  let sweptAt = Number.NEGATIVE_INFINITY
  /** Since when no such sweep has come much too late, in `elapsed` time. */
  let steadySince = 0

  return {
    /** Ends pauses of the responder that are over, and so the handovers that no agent has answered in time. */
    async expirePauses(): Promise<void> {
      const expired = await store.expirePauses(timestamp(clock.now()), expiryBatchSize)
      for (const conversation of expired) announce(bus, conversation, { type: 'stored' })
    },

    /** Lets conversations wait for another member whose owner has been away for too long. */
    async releaseConversations(): Promise<void> {
      const now = clock.now()
      // After a start, a pause, an outage of the store or a jump of the clock, all owners seem to be away.
      if (now - sweptAt > ownerAwayMs / 2) steadySince = clock.elapsed()
      if (clock.elapsed() - steadySince < 2 * presenceRoundMs) {
        // Rejects while the store cannot be reached, so that the time begins anew.
        await store.now?.()
      } else {
        const handover = { at: timestamp(now), timeoutMs: handoverTimeoutMs }
        const released = await store.releaseConversations(timestamp(now - ownerAwayMs), handover, expiryBatchSize)
        for (const { id, botId } of released) announce(bus, { botId, conversationId: id })
      }
      sweptAt = now
    },

    /** Deletes expired data, and the rest of contacts whose deletion was interrupted. */
    async purge(): Promise<void> {
      const ago = (ms: number): string => timestamp(clock.now() - ms)
      const lastMessageBefore = retentionDays === undefined ? {} : { lastMessageBefore: ago(retentionDays * day) }
      await store.purge({ now: ago(0), endedBefore: ago(keptFor), ...lastMessageBefore })
      for (const scope of await store.listInterruptedDeletions(expiryBatchSize))
        await deleteContact(store, scope, ago(0), erasure => publishErasure(bus, scope, erasure))
    },

    /**
     * Compares this clock with the store's. With different clocks one node may consider another's lease expired and do its
     * work twice.
     */
    async checkClock(): Promise<void> {
      const askedAt = clock.elapsed()
      const storeNow = await store.now?.()
      const tookMs = clock.elapsed() - askedAt
      // The store has read its clock at some moment since, so after a slow answer the difference is not certain.
      if (storeNow === undefined || tookMs > maxSkewMs / 2) return
      const aheadMs = clock.now() - tookMs / 2 - storeNow
      const wasSkewed = isSkewed
      isSkewed = Math.abs(aheadMs) > maxSkewMs
      if (isSkewed !== wasSkewed) onSkew(isSkewed ? Math.round(aheadMs) : 0)
    },
  }
}
