import type { Clock } from '../app/environment.ts'
import { type UpdateRecord, updateInTime } from './database.ts'
import { isBefore } from './epoch.ts'
import { readStored, type Stored } from './guards.ts'

/**
 * Transcript, outbox and draft of one person. Every write belongs to an epoch and reads the stored one first in its own
 * transaction: a tab that hasn't heard of a logout yet writes nothing. Where storage fails, nothing is kept.
 */
export interface Cache {
  /** Keeps what a contact has stored for the login that has begun, out of reach of writers of the epoch before. */
  transferEpoch(epoch: string, previous: string): Promise<unknown>
  /**
   * What is stored for `owner`; what is anybody else's or of another epoch is erased. Where that can't be done, or a later
   * epoch has begun, it is nothing, of epoch `''`.
   */
  open(epoch: string, owner: string): Promise<Stored>
  put(epoch: string, change: (stored: Stored) => Partial<Stored>): Promise<unknown>
}

const blank = (epoch: string, owner = ''): Stored => ({ epoch, owner, transcript: [], outbox: [], draft: '' })

export function createCache(update: UpdateRecord, clock: Clock): Cache {
  /** Changes what is stored unless a later epoch has begun. */
  const attempt = (epoch: string, next: (stored: Stored) => Stored) =>
    updateInTime(update, clock, 'stored', record => {
      const stored = readStored(record) ?? blank('')
      return isBefore(epoch, stored.epoch) ? stored : next(stored)
    })

  return {
    transferEpoch: (epoch, previous) =>
      // What an anonymous visitor has said is nobody's after a login.
      attempt(epoch, stored => (stored.epoch === previous && stored.owner ? { ...stored, epoch } : blank(epoch))),
    async open(epoch, owner) {
      let found = blank('')
      await attempt(epoch, stored => {
        found = stored.epoch === epoch && stored.owner === owner ? stored : blank(epoch, owner)
        return found
      })
      return found
    },
    put: (epoch, next) => attempt(epoch, stored => (stored.epoch === epoch ? { ...stored, ...next(stored) } : stored)),
  }
}
