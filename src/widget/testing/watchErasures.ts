import { isContinued, parseIdentity, storageKey } from '../identity/storedIdentity.ts'
import type { OutboxEntry, RecordsMeta } from '../store/guards.ts'

/**
 * Watches a browser's storage for messages in the database that a login or logout erases. If two processes begin an epoch at
 * the same moment, the later write to localStorage may hide the login or logout. What it has erased is gone nevertheless.
 */
export function watchErasures({ local, records }: { local: Map<string, string>; records: Map<string, unknown> }) {
  /** Why each epoch has begun. */
  const reasons = new Map<string, string>()
  /** The epoch whose record has replaced that of each message. */
  const erasedIn = new Map<string, string>()
  local.set = (key, value) => {
    const { epoch, reason } = parseIdentity(value)
    if (key === storageKey('bot', 'identity')) reasons.set(epoch, reason)
    return Map.prototype.set.call(local, key, value)
  }
  const outbox = () => (records.get('outbox') ?? []) as OutboxEntry[]
  const noteErased = (change: () => unknown) => {
    const before = outbox()
    change()
    const { epoch } = (records.get('meta') ?? { epoch: '' }) as RecordsMeta
    for (const { id, text } of before) if (!outbox().some(entry => entry.id === id)) erasedIn.set(text, epoch)
  }
  records.set = (key, record) => {
    noteErased(() => Map.prototype.set.call(records, key, record))
    return records
  }
  records.delete = key => {
    noteErased(() => Map.prototype.delete.call(records, key))
    return true
  }
  return {
    /** Whether a login or logout has erased the message of an epoch, or the end of a session by the organization. */
    isErasedOnPurpose(text: string, keptIn: string): boolean {
      const epoch = erasedIn.get(text) ?? ''
      const reason = reasons.get(epoch)
      return reason !== undefined && !isContinued(epoch, keptIn) && !['storage_reset', 'expired'].includes(reason)
    },
  }
}
