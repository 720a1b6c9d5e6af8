import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { ConversationStore } from '../store/store.ts'
import { singleFlight } from './singleFlight.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'

const expiryBatchSize = 100

/**
 * Creates a function that ends the handovers that no agent has answered in time. All nodes call it all the time, so a
 * handover also ends if the node on which it began is gone.
 */
export function createHandoverExpiry({
  store,
  bus,
  clock,
}: {
  store: Pick<ConversationStore, 'expireHandovers'>
  bus: Bus
  clock: Clock
}): () => Promise<void> {
  return singleFlight(async () => {
    for (;;) {
      const expired = await store.expireHandovers(timestamp(clock.now()), expiryBatchSize)
      for (const conversationId of expired) bus.publish(conversationSubject(conversationId), { type: 'stored' })
      if (expired.length < expiryBatchSize) return
    }
  })
}
