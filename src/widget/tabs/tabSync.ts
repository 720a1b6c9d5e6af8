import type { Clock, Page } from '../app/environment.ts'
import type { ConversationCore, PendingMessage } from '../models/conversation/conversation.ts'
import type { TabParticipant } from '../models/conversation/eventConnection.ts'
import type { Draft } from '../models/draft.ts'
import type { Cache } from '../storage/conversationCache.ts'
import type { TabMessage } from './tabTransport.ts'

/** What tabs share. */
export interface SharedModels {
  clock: Clock
  page: Page
  cache: Cache
  conversation: ConversationCore
  draft: Draft
}

/** Within this time every tab that listens has heard of a stored message. */
const missedMs = 1500

/** Keeps in step what each tab has of its own: the outbox, the draft, and what has been read. */
export class TabSync {
  readonly #shared: SharedModels
  readonly #participant: Pick<TabParticipant, 'epoch' | 'abortSignal'>
  readonly #post: (message: TabMessage) => void
  readonly #onWantsToSend: () => void
  readonly #unsubscribers: (() => void)[]

  /** Own messages as all tabs know them. */
  readonly #known = new Map<string, PendingMessage>()
  #knownReadSeq = 0
  /** Own messages that the platform has stored, of which other tabs are still to be told. */
  readonly #storedIds = new Set<string>()
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
    const { conversation, draft } = shared
    const pending = conversation.outbox.pending.peek()
    for (const entry of pending) this.#known.set(entry.id, entry)
    const unsent = pending.filter(isUnsent)
    if (unsent.length) post({ type: 'pendingMessages', pending: unsent })
    let postedVersion = draft.savedVersion.peek()
    this.#unsubscribers = [
      conversation.outbox.pending.subscribe(entries => this.#postChanges(entries)),
      draft.savedVersion.subscribe(version => {
        if (version !== postedVersion) post({ type: 'draft', version })
        postedVersion = version
      }),
      conversation.readState.readSeq.subscribe(seq => {
        if (seq > this.#knownReadSeq) post({ type: 'read', seq })
        this.#knownReadSeq = seq
      }),
    ]
  }

  onMessage(message: TabMessage): void {
    const { draft, conversation } = this.#shared
    switch (message.type) {
      case 'hello':
        // The new tab has missed what was read here before it listened; and this tab, what was written there before.
        this.#post({ type: 'read', seq: conversation.readState.readSeq.peek() })
        this.readStored()
        break
      case 'pendingMessage':
        this.#applyRemote(message.id, message.pending)
        break
      case 'pendingMessages':
        for (const entry of message.pending) {
          if (!this.#known.has(entry.id)) this.#applyRemote(entry.id, { ...entry, status: 'waiting' })
        }
        break
      case 'draft':
        draft.applyRemote(message.version)
        break
      case 'read':
        this.#knownReadSeq = Math.max(this.#knownReadSeq, message.seq)
        conversation.readState.markReadUpTo(this.#knownReadSeq)
        break
    }
  }

  /** Tells a new tab how the own messages stand. */
  sendPending(): void {
    for (const entry of this.#shared.conversation.outbox.pending.peek()) {
      this.#post({ type: 'pendingMessage', id: entry.id, pending: entry })
    }
  }

  /** Takes over what other tabs have stored. */
  readStored(): void {
    const { cache, draft } = this.#shared
    const { epoch, abortSignal } = this.#participant
    draft.save()
    const before = draft.currentVersion()
    void cache.read(epoch, stored => {
      // A slow database: by now this may be another person's session, who must neither see nor send this.
      if (abortSignal.aborted) return
      for (const entry of stored.outbox) {
        if (this.#known.has(entry.id)) continue
        this.#applyRemote(entry.id, { ...entry, status: entry.failure ? 'failed' : 'waiting' })
      }
      // What is being typed here is newer.
      if (draft.currentVersion() !== before) return
      const version = draft.applyRemote(stored.draft)
      // This text is not what is stored: another tab has stored its own, or the disk is full. It must not be lost.
      if (version.text && version.text !== stored.draft.text) this.#post({ type: 'draft', version })
    })
  }

  stop(): void {
    // A timer would keep what was said in memory.
    this.#cancelTimer()
    for (const unsubscribe of this.#unsubscribers) unsubscribe()
  }

  /** Tells the other tabs what has changed in the outbox. */
  #postChanges(entries: readonly PendingMessage[]): void {
    let wantsToSend = false
    for (const entry of entries) {
      const before = this.#known.get(entry.id)
      if (before === entry) continue
      this.#known.set(entry.id, entry)
      wantsToSend ||= entry.status === 'waiting'
      if (before) this.#post({ type: 'pendingMessage', id: entry.id, pending: entry })
      // With all before it: the leader may neither have heard of them nor have read them yet, and must send them first.
      else this.#post({ type: 'pendingMessages', pending: entries.filter(isUnsent) })
    }
    for (const id of this.#known.keys()) {
      if (entries.some(entry => entry.id === id)) continue
      this.#known.delete(id)
      if (this.#shared.conversation.messageStore.has(id)) this.#postStoredLater(id)
      else this.#post({ type: 'pendingMessage', id })
    }
    if (wantsToSend) this.#onWantsToSend()
  }

  /** Every tab gets stored messages as such, except one that has missed more than a page of the history. */
  #postStoredLater(id: string): void {
    this.#storedIds.add(id)
    this.#cancelTimer()
    this.#cancelTimer = this.#shared.clock.setTimeout(() => {
      for (const each of this.#storedIds) this.#post({ type: 'pendingMessage', id: each })
      this.#storedIds.clear()
    }, missedMs)
  }

  /** Shows an own message as it is in another tab, in the order of writing. */
  #applyRemote(id: string, entry?: PendingMessage): void {
    const { outbox, messageStore } = this.#shared.conversation
    if (!entry) {
      if (this.#known.delete(id)) outbox.replace(id)
      return
    }
    if (messageStore.has(id)) return
    // This tab may have heard of a later message first.
    const isLater = ({ createdAt }: PendingMessage) => createdAt > entry.createdAt
    const later = this.#known.has(id) ? undefined : outbox.pending.peek().find(isLater)
    this.#known.set(id, entry)
    if (later) outbox.replace(later.id, entry, later)
    else outbox.replace(id, entry)
  }
}

const isUnsent = ({ status }: PendingMessage) => status !== 'failed'
