import type { AuditPage } from '../../contract/desk.ts'
import type { QueryOf } from '../../contract/index.ts'
import type { AuditStore, MemberRow } from '../store/store.ts'
import { createCursor, readCursor } from './cursor.ts'
import { isPlace } from './teamConversations.ts'

/** What admins see and do of their team. */
export type Team = ReturnType<typeof createTeam>

export interface TeamOptions {
  store: AuditStore
}

export function createTeam({ store }: TeamOptions) {
  return {
    async listAudit({ organizationId }: MemberRow, { after, limit }: QueryOf<'listAudit'>): Promise<AuditPage> {
      const list = ['audit', organizationId]
      const place = after === undefined ? undefined : readCursor(list, after, isPlace)
      const start = place ? { after: { at: place[0], id: place[1] } } : {}
      // Fetch one more than the limit, to see whether there is a next page.
      const found = await store.listAudit(organizationId, { ...start, limit: limit + 1 })
      const data = found.slice(0, limit)
      const last = found.length > limit ? data.at(-1) : undefined
      return { data, next: last ? createCursor(list, [last.createdAt, last.id]) : null }
    },
  }
}
