import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Message } from '../../../contract/index.ts'
import type { ShouldStopRetrying } from '../../api/apiClient.ts'
import type { OutboxEntry, Stored } from '../../storage/guards.ts'
import { cacheScopeOf, type Deps, type SessionScope } from '../session/sessionScope.ts'

/** An own message on its way: `waiting` in the outbox, `sending`, or `failed` until the visitor decides. */
export interface PendingMessage {
  id: string
  text: string
  status: 'waiting' | 'sending' | 'failed'
  /** Why it failed: `rejected` by the platform, or `network` after all retries. */
  failure?: 'rejected' | 'network' | undefined
  /** When a `waiting` one is sent again that the platform found one too many. */
  resumesAt?: string | undefined
  createdAt: string
}

export interface OutboxDeps extends Deps {
  createMessageId(): string
  /** The scope's token, made on first need; `null` where there is none to be had. */
  acquireToken(scope: SessionScope, shouldStopRetrying: ShouldStopRetrying): Promise<string | null>
  onStored(scope: SessionScope, message: Message): void
}

/** Own messages until the platform has them: kept over reloads, sent one after the other. */
export interface Outbox {
  readonly pending: ReadonlySignal<readonly PendingMessage[]>
  /** Another identity from now on: nothing is sent until `enter`, which goes on with what `keepUnsent` has left. */
  begin(scope: SessionScope, options: { keepUnsent: boolean }): void
  enter(scope: SessionScope, entries: readonly OutboxEntry[]): void
  /** `left`: what else is to be stored with it, or not at all. */
  /**
   * Puts a text of 1–4000 code points into the outbox; returns at once. `left`: what else is stored in the same
   * transaction (the draft that is left).
   */
  send(text: string, left?: Partial<Stored>): void
  retry(id: string): void
  remove(id: string): void
  /** The platform has those, by default all that it has taken: they are shown as stored ones now, or older than what is shown. */
  acknowledge(messages?: readonly { id: string }[]): void
  /** Sends what waits, where it is this tab that sends. */
  flush(): Promise<void>
  /** This tab is the one that sends, until `over`. */
  lead(abortSignal: AbortSignal): void
  isLeader(): boolean
  /** Shows an own message as it stands in the tab that sends it; without one it goes. */
  applyRemote(id: string, ...next: PendingMessage[]): void
}

/** Of a message, in code points. */
export const maxLength = 4000
/** Some minutes; time without a network doesn't count. */
const maxTries = 10

/** A list with another entry, or none, in the place of the one with that id; where there is none, with `more` at its end. */
const withEntry = <Entry extends { id: string }>(
  list: readonly Entry[],
  id: string,
  next: Entry[],
  more = next,
): Entry[] =>
  list.some(entry => entry.id === id) ? list.flatMap(entry => (entry.id === id ? next : [entry])) : [...list, ...more]

export function createOutbox(deps: OutboxDeps): Outbox {
  const { api, clock, page, cache, emit } = deps
  const pending = signal<readonly PendingMessage[]>([])
  /** The platform has those, which are shown as pending until they have their place among the stored ones. */
  let acceptedIds: { id: string }[] = []
  let entered: SessionScope | undefined
  let cacheScope: SessionScope | undefined
  let pumping: SessionScope | undefined
  let leading = AbortSignal.abort()

  function applyRemote(id: string, ...next: PendingMessage[]) {
    pending.value = withEntry(pending.peek(), id, next)
  }

  /**
   * Shows and keeps a message as it stands now; without one it goes. Each by itself, for other tabs have theirs; `more`:
   * what is kept where none of that id is.
   */
  function set(id: string, next: PendingMessage[] = [], left?: Partial<Stored>, more = next) {
    applyRemote(id, ...next)
    if (cacheScope) {
      void cache.put(cacheScope.epoch, ({ outbox }) => ({
        outbox: withEntry<OutboxEntry>(outbox, id, next, more),
        ...left,
      }))
    }
  }

  const find = (id: string) => pending.peek().find(entry => entry.id === id)

  function mark(
    id: string,
    status: PendingMessage['status'],
    more?: Partial<Pick<PendingMessage, 'failure' | 'resumesAt'>>,
  ) {
    const entry = find(id)
    // Another tab may have seen it stored, or deleted it: it stays so.
    if (entry) set(id, [{ ...entry, failure: undefined, resumesAt: undefined, ...more, status }], {}, [])
  }

  async function flush() {
    const mine = entered
    if (!mine || pumping === mine) return
    pumping = mine
    // Without a token there is no stream, and nobody leads.
    while (page.online() && !(mine.token && leading.aborted)) {
      // What is still being sent was so by a tab that no longer leads.
      const entry = pending
        .peek()
        .find(({ id, status }) => status !== 'failed' && !acceptedIds.some(each => each.id === id))
      if (!entry) break
      const { id, text } = entry
      let failure: PendingMessage['failure']
      const shouldStopRetrying: ShouldStopRetrying = ({ status, transient, ended, retryAfterMs }, tries) => {
        if (ended) return false
        const online = page.online()
        failure = transient ? (online && tries >= maxTries ? 'network' : undefined) : 'rejected'
        const resumesAt =
          status === 429 && retryAfterMs ? new Date(clock.now() + retryAfterMs).toISOString() : undefined
        if (failure) mark(id, 'failed', { failure })
        else mark(id, 'waiting', { resumesAt })
        return !!failure || !online
      }
      mark(id, 'sending')
      const token = await deps.acquireToken(mine, shouldStopRetrying)
      const message =
        token && (await api.sendMessage({ token, abortSignal: leading }, shouldStopRetrying, { id, text }))
      if (mine.abortSignal.aborted) return
      if (failure) emit('error', { code: 'message_failed' })
      if (message) {
        acceptedIds.push({ id })
        deps.onStored(mine, message)
      } else if (!failure && !page.online()) mark(id, 'waiting')
    }
    pumping = undefined
  }

  return {
    pending,
    begin(mine, { keepUnsent }) {
      entered = undefined
      cacheScope = cacheScopeOf(mine)
      // What the platform has taken belongs to the conversation before.
      const unsent = pending.peek().filter(({ id }) => keepUnsent && !acceptedIds.some(each => each.id === id))
      acceptedIds = []
      pending.value = unsent.map(entry => (entry.status === 'sending' ? { ...entry, status: 'waiting' } : entry))
    },
    enter(mine, entries) {
      const written = pending.peek()
      entered = cacheScope = mine
      pending.value = entries.map(entry => ({ ...entry, status: entry.failure ? 'failed' : 'waiting' }))
      for (const entry of written) set(entry.id, [entry])
      void flush()
    },
    send(text, left) {
      // The platform refuses NUL and unpaired surrogates; `toWellFormed` is missing in Firefox 115.
      const clean = text
        .replace(/\0/g, '')
        .replace(/\p{Surrogate}/gu, '\ufffd')
        .trim()
      if (!clean || [...clean].length > maxLength) return
      const id = deps.createMessageId()
      set(id, [{ id, text: clean, status: 'waiting', createdAt: new Date(clock.now()).toISOString() }], left)
      void flush()
    },
    retry(id) {
      mark(id, 'waiting')
      void flush()
    },
    remove(id) {
      if (find(id)?.status !== 'sending') set(id)
    },
    acknowledge(messages = acceptedIds) {
      for (const { id } of messages) if (find(id)) set(id)
      acceptedIds = acceptedIds.filter(({ id }) => find(id))
    },
    flush,
    lead(abortSignal) {
      leading = abortSignal
      void flush()
    },
    isLeader: () => !leading.aborted,
    applyRemote,
  }
}
