import type { SessionScope } from '../identity/sessionScope.ts'
import type { Cache } from '../store/conversationCache.ts'
import type { OutboxEntry } from '../store/guards.ts'
import type { LazyAttachments } from './lazyAttachments.ts'
import { type PendingMessage, toStored } from './pendingMessage.ts'
import { replaceEntry } from './replaceEntry.ts'

export interface OutboxCacheDeps {
  cache: Pick<Cache, 'put'>
  files: Pick<LazyAttachments, 'blobsOf'>
}

/** Keeps the outbox of one session in IndexedDB. */
export class OutboxCache {
  readonly #deps: OutboxCacheDeps
  #scope: SessionScope | undefined
  #savedIds = new Set<string>()

  constructor(deps: OutboxCacheDeps) {
    this.#deps = deps
  }

  /** Switches to another session. Nothing is stored until its scope is known. */
  reset(scope: SessionScope | undefined): void {
    this.#scope = scope
    this.#savedIds = new Set()
  }

  /** Stores the messages of this scope from now on. */
  open(scope: SessionScope): void {
    this.#scope = scope
  }

  /** Whether IndexedDB has a message that this page has written. */
  has(id: string): boolean {
    return this.#savedIds.has(id)
  }

  /** Adds or replaces a message with its files. */
  async save(entry: PendingMessage): Promise<void> {
    const put = (files?: ReadonlyMap<string, Blob>) =>
      this.update(entries => replaceEntry(entries, entry.id, [toStored(entry)]), files)
    const isStored = await put(entry.files && this.#deps.files.blobsOf(entry.files))
    // There may be room for the text, though not for the files.
    if (isStored || (entry.files && (await put()))) this.#savedIds.add(entry.id)
  }

  /** Resolves to whether the change is stored. */
  async update(
    change: (entries: readonly OutboxEntry[]) => readonly OutboxEntry[],
    files?: ReadonlyMap<string, Blob>,
  ): Promise<boolean> {
    if (!this.#scope) return false
    return this.#deps.cache.put(this.#scope.epoch, ({ outbox }) => ({ outbox: change(outbox) }), files)
  }
}
