import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import type { OutboxEntry } from '../storage/decode.ts'
import type { GiveUp } from '../transport/wire.ts'
import type { Doors, Scope } from './scope.ts'

/** An own message on its way: `waiting` in the outbox, `sending`, or `failed` until the visitor decides. */
export interface PendingMessage {
  id: string
  text: string
  status: 'waiting' | 'sending' | 'failed'
  /** Why it failed: `rejected` by the platform, or `network` after all retries. */
  failure?: 'rejected' | 'network' | undefined
  createdAt: string
}

export interface OutboxDoors extends Doors {
  createMessageId(): string
  /** The scope's token, made on first need; `null` where there is none to be had. */
  bearer(scope: Scope, giveUp: GiveUp): Promise<string | null>
  onStored(scope: Scope, message: Message): void
}

/** Own messages until the platform has them: kept over reloads, sent one after the other. */
export interface Outbox {
  readonly pending: ReadonlySignal<readonly PendingMessage[]>
  /** Another identity from now on: nothing is sent until `enter`. */
  begin(): void
  enter(scope: Scope, entries: readonly OutboxEntry[]): void
  add(text: string): void
  retry(id: string): void
  remove(id: string): void
  /** The platform has those; they are shown as stored messages from now on. */
  settle(messages: readonly Message[]): void
  /** Sends what waits. */
  pump(): Promise<void>
}

const maxLength = 4000
/** Some minutes; time without a network doesn't count. */
const maxTries = 10

export function createOutbox(doors: OutboxDoors): Outbox {
  const { wire, clock, page, cache } = doors
  const pending = signal<readonly PendingMessage[]>([])
  let entered: Scope | undefined
  let pumping: Scope | undefined
  let lastAt = 0

  /** Stores the message of that id, or without one forgets it; each by itself, for other tabs have theirs. */
  const keep = (id: string, entry: readonly PendingMessage[] = []) => {
    if (entered)
      void cache.put(entered.epoch, ({ outbox }) => ({ outbox: [...outbox.filter(each => each.id !== id), ...entry] }))
  }

  function mark(id: string, status: PendingMessage['status'], failure?: PendingMessage['failure']) {
    pending.value = pending.peek().map(entry => {
      if (entry.id !== id) return entry
      const marked = { ...entry, status, failure }
      // `sending` is nothing to remember: after a reload it is sent again, which is harmless.
      if (status !== 'sending') keep(id, [marked])
      return marked
    })
  }

  function forget(isGone: (entry: PendingMessage) => boolean) {
    const gone = pending.peek().filter(isGone)
    if (!gone.length) return
    for (const { id } of gone) keep(id)
    pending.value = pending.peek().filter(entry => !gone.includes(entry))
  }

  async function pump() {
    const mine = entered
    if (!mine || pumping === mine) return
    pumping = mine
    while (page.online() && !mine.over.aborted) {
      const entry = pending.peek().find(({ status }) => status === 'waiting')
      if (!entry) break
      const { id, text } = entry
      let failure: PendingMessage['failure']
      const giveUp: GiveUp = ({ transient, ended }, tries) => {
        if (ended) return false
        if (!transient) failure = 'rejected'
        else if (page.online() && tries >= maxTries) failure = 'network'
        mark(id, failure ? 'failed' : 'waiting', failure)
        return !!failure || !page.online()
      }
      mark(id, 'sending')
      const token = await doors.bearer(mine, giveUp)
      const message = token && (await wire.sendMessage(mine, { id, text }, giveUp))
      if (mine.over.aborted) break
      if (failure) doors.emit('error', { code: 'message_failed' })
      if (!message) continue
      // It is shown as pending until it has its place among the stored ones, but it is not to be sent again.
      keep(id)
      doors.onStored(mine, message)
    }
    if (pumping === mine) pumping = undefined
  }

  return {
    pending,
    begin() {
      entered = undefined
      pending.value = []
    },
    enter(mine, entries) {
      entered = mine
      const written = pending.peek()
      for (const entry of written) keep(entry.id, [entry])
      pending.value = [
        ...entries.map((entry): PendingMessage => ({ ...entry, status: entry.failure ? 'failed' : 'waiting' })),
        ...written,
      ]
      void pump()
    },
    add(text) {
      // The platform refuses NUL and unpaired surrogates; `toWellFormed` is missing in Firefox 115.
      const clean = text
        .replace(/\0/g, '')
        .replace(/\p{Surrogate}/gu, '\ufffd')
        .trim()
      if (!clean || [...clean].length > maxLength) return
      // Later ones are later, also within a millisecond and when the clock is set back: the order of sending hangs on it.
      lastAt = Math.max(clock.now(), lastAt + 1)
      const id = doors.createMessageId()
      pending.value = [
        ...pending.peek(),
        { id, text: clean, status: 'waiting', createdAt: new Date(lastAt).toISOString() },
      ]
      mark(id, 'waiting')
      void pump()
    },
    retry(id) {
      mark(id, 'waiting')
      void pump()
    },
    remove: id => forget(entry => entry.id === id && entry.status !== 'sending'),
    settle: messages => forget(entry => messages.some(({ id }) => id === entry.id)),
    pump,
  }
}
