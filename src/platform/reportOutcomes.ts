import type { Logger } from 'pino'
import type { TurnOutcome } from './domain/turns.ts'
import type { Metrics } from './middleware/metrics.ts'
import type { DeliveryOutcome } from './outbox/deliveries.ts'

/** What the operator learns of the work that no request waits for: counts, ids and causes, nothing of what was said. */
export const reportOutcomes = (
  logger: Logger,
  metrics: Metrics,
): {
  onTurn(outcome: TurnOutcome): void
  onDelivery(outcome: DeliveryOutcome): void
  onSkew(aheadMs: number): void
} => ({
  onTurn({ outcome, error, ...turn }) {
    metrics.turn(turn.responder, outcome)
    if (outcome === 'failed') logger.error({ ...turn, err: error }, 'a turn has failed')
  },
  onDelivery({ outcome, attempt, ...delivery }) {
    metrics.delivery(outcome)
    if (outcome === 'given_up') logger.error(delivery, 'an event was not taken by its webhook, and is given up')
    // Once an event: the attempts that follow say nothing new.
    if (outcome === 'postponed' && attempt === 1) logger.warn(delivery, 'an event was not taken by its webhook yet')
  },
  onSkew(aheadMs) {
    if (aheadMs === 0) logger.info('the clock of this node is near that of the database again')
    else logger.warn({ aheadMs }, 'the clock of this node is far from that of the database: set both by NTP')
  },
})
