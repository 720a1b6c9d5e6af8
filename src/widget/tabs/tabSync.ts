import type { Conversation, PendingMessage } from '../conversation/conversation.ts'
import type { TabParticipant } from '../conversation/eventConnection.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'
import type { Records } from '../store/records.ts'
import type { TabMessage } from './tabTransport.ts'

/** The models and services that tabs keep in sync. */
export interface SharedModels {
  clock: Clock
  page: Page
  records: Records
  conversation: Conversation
}

/** After this time, every tab that can receive a message that the platform has accepted has received it. */
const acceptedMessageDelayMs = 1500

/** Keeps the outbox and the read position in sync with the other tabs. */
export class TabSync {
  readonly #shared: SharedModels
  readonly #participant: Pick<TabParticipant, 'epoch' | 'abortSignal'>
  readonly #post: (message: TabMessage) => void
  readonly #onWantsToSend: () => void
  readonly #unsubscribers: (() => void)[]

  /** The pending messages as last sent to, or received from, the other tabs. */
  readonly #known = new Map<string, PendingMessage>()
  #knownReadSeq = 0
  /** Messages that the platform has accepted; the other tabs have not been told yet. */
  readonly #acceptedIds = new Set<string>()
  #cancelTimer = () => {}

  /** `onWantsToSend` is called when the visitor sends something in this tab. */
  constructor(
    shared: SharedModels,
    participant: Pick<TabParticipant, 'epoch' | 'abortSignal'>,
    post: (message: TabMessage) => void,
    onWantsToSend: () => void,
  ) {
    this.#shared = shared
    this.#participant = participant
    this.#post = post
    this.#onWantsToSend = onWantsToSend
    const { conversation } = shared
    const pending = conversation.outbox.pending.peek()
    for (const entry of pending) this.#known.set(entry.id, entry)
    const unsent = pending.filter(isUnsent)
    if (unsent.length) post({ type: 'pendingMessages', pending: unsent })
    this.#unsubscribers = [
      conversation.outbox.pending.subscribe(entries => this.#postChanges(entries)),
      conversation.readState.readSeq.subscribe(seq => {
        if (seq > this.#knownReadSeq) post({ type: 'read', seq })
        this.#knownReadSeq = seq
      }),
    ]
  }

  onMessage(message: TabMessage): void {
    const { conversation } = this.#shared
    switch (message.type) {
      case 'hello':
        // The new tab missed what was read here before it listened, and this tab missed what was written there.
        this.#post({ type: 'read', seq: conversation.readState.readSeq.peek() })
        this.readCache()
        break
      case 'pendingMessage':
        this.#applyRemote(message.id, message.pending)
        break
      case 'pendingMessages':
        for (const entry of message.pending) {
          if (!this.#known.has(entry.id)) this.#applyRemote(entry.id, { ...entry, status: 'waiting' })
        }
        break
      case 'read':
        this.#knownReadSeq = Math.max(this.#knownReadSeq, message.seq)
        conversation.readState.markReadUpTo(this.#knownReadSeq)
        break
    }
  }

  /** Sends the state of all pending messages, for a new tab. */
  sendPending(): void {
    for (const entry of this.#shared.conversation.outbox.pending.peek()) {
      this.#post({ type: 'pendingMessage', id: entry.id, pending: entry })
    }
  }

  /** Applies the outbox that other tabs have put into IndexedDB. */
  readCache(): void {
    const { epoch, abortSignal } = this.#participant
    void this.#shared.records.read(epoch, (_, entries) => {
      // The database may have been slow. In another person's session these must be neither shown nor sent.
      if (abortSignal.aborted) return
      for (const entry of entries) {
        if (this.#known.has(entry.id)) continue
        this.#applyRemote(entry.id, { ...entry, status: entry.failure ? 'failed' : 'waiting' })
      }
    })
  }

  stop(): void {
    // A running timer would keep the messages in memory.
    this.#cancelTimer()
    for (const unsubscribe of this.#unsubscribers) unsubscribe()
  }

  /** Sends the changes of the outbox to the other tabs. */
  #postChanges(entries: readonly PendingMessage[]): void {
    let wantsToSend = false
    for (const entry of entries) {
      const before = this.#known.get(entry.id)
      if (before === entry) continue
      this.#known.set(entry.id, entry)
      wantsToSend ||= entry.status === 'waiting'
      if (before) this.#post({ type: 'pendingMessage', id: entry.id, pending: entry })
      // Include the earlier messages: the leader must send them first, and may not have received them yet.
      else this.#post({ type: 'pendingMessages', pending: entries.filter(isUnsent) })
    }
    for (const id of this.#known.keys()) {
      if (entries.some(entry => entry.id === id)) continue
      this.#known.delete(id)
      if (this.#shared.conversation.messageStore.has(id)) this.#postAcceptedLater(id)
      else this.#post({ type: 'pendingMessage', id })
    }
    if (wantsToSend) this.#onWantsToSend()
  }

  /**
   * Tells the other tabs later that a message is no longer pending. Most tabs have received it from the platform by then. One
   * that missed more than a page of the history has not, and would show it as pending forever.
   */
  #postAcceptedLater(id: string): void {
    this.#acceptedIds.add(id)
    this.#cancelTimer()
    this.#cancelTimer = this.#shared.clock.setTimeout(() => {
      for (const each of this.#acceptedIds) this.#post({ type: 'pendingMessage', id: each })
      this.#acceptedIds.clear()
    }, acceptedMessageDelayMs)
  }

  /** Shows a pending message of another tab, in the order of writing. Without `entry` the message is no longer pending. */
  #applyRemote(id: string, entry?: PendingMessage): void {
    const { outbox, messageStore } = this.#shared.conversation
    if (!entry) {
      if (this.#known.delete(id)) outbox.replace(id)
      return
    }
    if (messageStore.has(id)) return
    // A message that was written later may have arrived first.
    const isLater = ({ createdAt }: PendingMessage) => createdAt > entry.createdAt
    const later = this.#known.has(id) ? undefined : outbox.pending.peek().find(isLater)
    this.#known.set(id, entry)
    if (later) outbox.replace(later.id, entry, later)
    else outbox.replace(id, entry)
  }
}

const isUnsent = ({ status }: PendingMessage) => status !== 'failed'
