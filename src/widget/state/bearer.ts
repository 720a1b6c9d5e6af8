import type { ConversationState } from '../../contract/index.ts'
import type { Page } from '../page.ts'
import type { TokenStore } from '../storage/token.ts'
import type { Answer } from '../transport/http.ts'
import type { Wire } from '../transport/wire.ts'
import type { Scope } from './session.ts'

export interface BearerDoors {
  /** Of the lock under which an anonymous session is made. */
  lockName: string
  wire: Wire
  page: Page
  tokens: TokenStore
  /** Follows what other tabs have done. */
  sync(): void
  /** An anonymous scope has got its token; `state` is `null` where it could not be had. */
  onBearer(scope: Scope, state: ConversationState | null): void
}

/** Gives the token to send with, and makes the anonymous session on first need; `null` where the scope is over. */
export function createBearer({ lockName, wire, page, tokens, sync, onBearer }: BearerDoors) {
  const standing = ({ token, over }: Scope): Answer<string> | null =>
    token && !over.aborted ? { ok: true, data: token } : null

  async function make(mine: Scope): Promise<Answer<string> | null> {
    // Another tab may have made it while this one waited for the lock.
    sync()
    if (mine.token || mine.over.aborted) return standing(mine)
    const answer = await wire.createVisitorSession(mine.over)
    if (mine.over.aborted || !answer.ok) return answer.ok ? null : answer
    const { token } = answer.data
    // Where there are no locks another tab may have been faster.
    sync()
    if (mine.token || mine.over.aborted) {
      void wire.endSession(token)
      return standing(mine)
    }
    mine.token = token
    tokens.write(token)
    onBearer(mine, { lastSeq: 0, readSeq: 0, unread: 0 })
    return standing(mine)
  }

  return async (mine: Scope): Promise<Answer<string> | null> => {
    if (mine.token) return standing(mine)
    try {
      return await page.alone(lockName, mine.over, () => make(mine))
    } catch {
      return null
    }
  }
}
