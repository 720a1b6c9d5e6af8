import { createModel, type ReadonlySignal, signal } from '@preact/signals-core'
import type { EndReason, Message } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { Page } from '../page.ts'
import type { Cache } from '../storage/cache.ts'
import type { OutboxEntry } from '../storage/decode.ts'
import type { Answer } from '../transport/http.ts'
import type { Patience } from '../transport/patience.ts'
import type { Wire } from '../transport/wire.ts'
import type { Scope } from './session.ts'

/** An own message on its way: `waiting` in the outbox, `sending`, or `failed` until the visitor decides. */
export interface PendingMessage {
  id: string
  text: string
  status: 'waiting' | 'sending' | 'failed'
  /** Why it failed: `rejected` by the platform, or `network` after all retries. */
  failure?: 'rejected' | 'network'
  createdAt: string
}

export interface OutboxDoors {
  wire: Wire
  clock: Clock
  page: Page
  patience: Patience
  cache: Cache
  createMessageId(): string
  bearer(scope: Scope): Promise<Answer<string> | null>
  onStored(scope: Scope, message: Message): void
  onEnded(scope: Scope, reason: EndReason): void
  onFailed(): void
}

/** Own messages until the platform has them: kept over reloads, sent one after the other. */
export interface Outbox {
  readonly pending: ReadonlySignal<readonly PendingMessage[]>
  /** Another identity from now on: nothing is sent until `enter`. */
  begin(scope: Scope): void
  enter(scope: Scope, entries: readonly OutboxEntry[]): void
  add(text: string): void
  retry(id: string): void
  remove(id: string): void
  /** The platform has those; they are shown as stored messages from now on. */
  settle(ids: readonly string[]): void
  /** Sends what waits. */
  pump(): void
}

const maxLength = 4000
/** Some minutes; time without a network doesn't count. */
const maxTries = 10

const Model = createModel((doors: OutboxDoors) => {
  const { wire, clock, page, patience, cache } = doors
  const pending = signal<readonly PendingMessage[]>([])
  let scope: Scope | undefined
  let entered = false
  let pumping: Scope | undefined
  let lastAt = 0

  function keep({ id, text, createdAt, failure }: PendingMessage) {
    const entry: OutboxEntry = { id, text, createdAt, ...(failure && { failure }) }
    if (scope && entered) void cache.put(scope.epoch, `outbox:${id}`, entry)
  }

  function forget(id: string) {
    if (scope && entered) void cache.put(scope.epoch, `outbox:${id}`, undefined)
  }

  function mark(id: string, status: PendingMessage['status'], failure?: PendingMessage['failure']) {
    pending.value = pending.peek().map(({ failure: _, ...entry }) => {
      if (entry.id !== id) return _ ? { ...entry, failure: _ } : entry
      const marked = { ...entry, status, ...(failure && { failure }) }
      // `sending` is nothing to remember: after a reload it is sent again, which is harmless.
      if (status !== 'sending') keep(marked)
      return marked
    })
  }

  async function deliver(mine: Scope, { id, text }: PendingMessage): Promise<Answer<Message> | null> {
    const bearer = await doors.bearer(mine)
    if (!bearer?.ok) return bearer
    return mine.over.aborted ? null : wire.sendMessage(bearer.data, mine.over, { id, text })
  }

  async function pump() {
    const mine = scope
    if (!mine || !entered || pumping === mine) return
    pumping = mine
    for (let tries = 0; page.online(); ) {
      const entry = pending.peek().find(({ status }) => status === 'waiting')
      if (!entry) break
      mark(entry.id, 'sending')
      const answer = await deliver(mine, entry)
      if (!answer || mine.over.aborted) break
      if (answer.ok) {
        tries = 0
        forget(entry.id)
        doors.onStored(mine, answer.data)
      } else if (answer.ended) {
        doors.onEnded(mine, answer.ended)
      } else if (answer.transient && (tries < maxTries || !page.online())) {
        mark(entry.id, 'waiting')
        if (page.online()) await patience.wait(tries++, mine.over, answer.retryAfterMs)
      } else {
        tries = 0
        mark(entry.id, 'failed', answer.transient ? 'network' : 'rejected')
        doors.onFailed()
      }
      if (mine.over.aborted) break
    }
    if (pumping === mine) pumping = undefined
  }

  return {
    pending,
    begin(next: Scope) {
      scope = next
      entered = false
      pending.value = []
    },
    enter(mine: Scope, entries: readonly OutboxEntry[]) {
      if (mine !== scope) return
      entered = true
      const written = pending.peek()
      for (const entry of written) keep(entry)
      const known = new Set(written.map(({ id }) => id))
      pending.value = [
        ...entries
          .filter(({ id }) => !known.has(id))
          .map((entry): PendingMessage => ({ ...entry, status: entry.failure ? 'failed' : 'waiting' })),
        ...written,
      ]
      void pump()
    },
    add(text: string) {
      // The platform refuses NUL and unpaired surrogates; `toWellFormed` is missing in Firefox 115.
      const clean = text
        .replace(/\0/g, '')
        .replace(/\p{Surrogate}/gu, '\ufffd')
        .trim()
      if (!clean || [...clean].length > maxLength) return
      // Later ones are later, also within a millisecond and when the clock is set back: the order of sending hangs on it.
      lastAt = Math.max(clock.now(), lastAt + 1)
      const entry: PendingMessage = {
        id: doors.createMessageId(),
        text: clean,
        status: 'waiting',
        createdAt: new Date(lastAt).toISOString(),
      }
      pending.value = [...pending.peek(), entry]
      keep(entry)
      void pump()
    },
    retry(id: string) {
      if (!pending.peek().some(entry => entry.id === id && entry.status === 'failed')) return
      mark(id, 'waiting')
      void pump()
    },
    remove(id: string) {
      if (!pending.peek().some(entry => entry.id === id && entry.status !== 'sending')) return
      pending.value = pending.peek().filter(entry => entry.id !== id)
      forget(id)
    },
    settle(ids: readonly string[]) {
      const left = pending.peek().filter(({ id }) => !ids.includes(id))
      if (left.length === pending.peek().length) return
      for (const { id } of pending.peek()) if (ids.includes(id)) forget(id)
      pending.value = left
    },
    pump() {
      void pump()
    },
  }
})

export const createOutbox = (doors: OutboxDoors): Outbox => new Model(doors)
