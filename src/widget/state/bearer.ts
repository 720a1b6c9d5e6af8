import type { ConversationState } from '../../contract/index.ts'
import type { Page } from '../page.ts'
import type { IdentityStore } from '../storage/identity.ts'
import type { GiveUp, Wire } from '../transport/wire.ts'
import type { Scope } from './scope.ts'

export interface BearerDoors {
  /** Of the lock under which an anonymous session is made. */
  lockName: string
  wire: Wire
  page: Page
  identity: IdentityStore
  /** Follows what other tabs have done. */
  sync(): void
  /** An anonymous scope has got its token. */
  onBearer(scope: Scope, state: ConversationState): void
}

/** Gives the token to send with, and makes the anonymous session on first need. */
export function createBearer({ lockName, wire, page, identity, sync, onBearer }: BearerDoors) {
  return async (mine: Scope, giveUp: GiveUp): Promise<string | null> => {
    const make = async () => {
      // Another tab may have made it while this one waited for the lock.
      sync()
      if (mine.token || mine.over.aborted) return
      const made = await wire.createVisitorSession(mine, undefined, giveUp)
      if (!made) return
      // Where there are no locks another tab may have been faster.
      sync()
      if (mine.token || mine.over.aborted) {
        void wire.endSession({ ...made, over: new AbortController().signal }, undefined, () => true)
        return
      }
      mine.token = made.token
      identity.write(made.token)
      onBearer(mine, { lastSeq: 0, readSeq: 0, unread: 0 })
    }
    // Waiting for the lock ends with the scope, by an error.
    if (!mine.token) await page.alone(lockName, mine.over, make).catch(() => {})
    return mine.token
  }
}
