import type { Logger } from 'pino'
import { isEmail } from './domain/isEmail.ts'
import type { DroppedSources, TurnOutcome } from './domain/turns.ts'
import type { Metrics } from './http/metrics.ts'
import type { DeliveryOutcome } from './outbox/deliveries.ts'

/** Logs and counts the outcomes of background work. The log gets ids and causes, never the text of messages. */
export const reportOutcomes = (logger: Logger, metrics: Metrics) => ({
  onTurn({ outcome, error, ...turn }: TurnOutcome): void {
    metrics.turn(turn.responder, outcome)
    if (outcome === 'failed') logger.error({ ...turn, err: error }, 'a turn failed')
  },
  onDroppedSources({ reasons, ...turn }: DroppedSources): void {
    logger.warn({ ...turn, reasons }, 'sources of an answer were dropped')
  },
  onDelivery({ outcome, attempt, ...delivery }: DeliveryOutcome): void {
    metrics.delivery(outcome)
    const failure = isEmail(delivery) ? 'an email could not be sent' : 'an event could not be delivered to its webhook'
    if (outcome === 'given_up') logger.error(delivery, `${failure} and was dropped`)
    // Log only the first attempt: later ones fail for the same reason.
    if (outcome === 'postponed' && attempt === 1) logger.warn(delivery, `${failure} yet`)
  },
  onSkew(aheadMs: number): void {
    if (aheadMs === 0) logger.info('the clock of this node agrees with the database again')
    else logger.warn({ aheadMs }, 'the clock of this node differs from the database: synchronize both by NTP')
  },
})
