import type {
  ContactScope,
  ContactStore,
  EndedSession,
  IdempotentRequest,
  KeyRefused,
  NotFound,
} from '../store/store.ts'

interface Deletion {
  store: ContactStore
  scope: ContactScope
  at: string
  request?: IdempotentRequest | undefined
  /** Gets the sessions that a transaction has ended, as soon as it is committed. */
  onEnded: (sessions: EndedSession[]) => void
}

/** Deletes a contact with everything that belongs to it. One with many messages or files takes several transactions. */
export async function deleteContact({
  store,
  scope,
  at,
  request,
  onEnded,
}: Deletion): Promise<'deleted' | 'replayed' | KeyRefused | NotFound> {
  for (;;) {
    const result = await store.deleteContact(scope, at, request)
    if (typeof result === 'string') return result
    onEnded(result.ended)
    if (!result.isIncomplete) return 'deleted'
  }
}
