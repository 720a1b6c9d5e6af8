import { createNonce, type EpochReason, nextEpoch } from '../identity/storedIdentity.ts'

/** Returns the id of an epoch that begins after `epoch` and is another visitor's, in the first moment of the fake clock. */
export const laterEpoch = (epoch = '', reason: EpochReason = 'logout'): string =>
  nextEpoch(epoch, Date.UTC(2026, 0, 1), createNonce(reason))
