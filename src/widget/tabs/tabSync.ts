import type { Clock } from '../app/clock.ts'
import type { Page } from '../app/page.ts'
import type { ConversationCore, PendingMessage } from '../models/conversation/conversation.ts'
import type { TabParticipant } from '../models/conversation/eventConnection.ts'
import type { DraftCore } from '../models/draft.ts'
import type { Cache } from '../storage/conversationCache.ts'
import type { TabMessage } from './tabTransport.ts'

/** What of the core the tabs share. */
export interface Shared {
  clock: Clock
  page: Page
  cache: Cache
  conversation: ConversationCore
  draft: DraftCore
}

/** Keeps in step what each tab has of its own: messages on their way, the draft, and what has been read. */
export interface TabSync {
  hear(tabMessage: TabMessage): void
  /** Tells a tab that has come how own messages stand. */
  tellAll(): void
  /** Takes up what other tabs have stored. */
  catchUp(): void
  end(): void
}

/** By then a stored message has come to every tab that hears of it. */
const missedMs = 1500

/** `onWanted` is called when the visitor sends something here. */
export function createTabSync(
  { cache, clock, conversation, draft }: Shared,
  { epoch, abortSignal }: Pick<TabParticipant, 'epoch' | 'abortSignal'>,
  say: (tabMessage: TabMessage) => void,
  onWanted: () => void,
): TabSync {
  const { messageStore, outbox, readState } = conversation
  const { messages } = messageStore
  const { pending } = outbox
  const { readSeq } = readState
  /** As all tabs know them. */
  const known = new Map<string, PendingMessage>()
  let lastDraft = draft.text.peek()
  /** Another tab has said it, and may not have stored it yet. */
  let heard = false
  let seen = 0
  /** Own messages that are stored, of which other tabs are still to be told, and what keeps that from happening. */
  const stored = new Set<string>()
  let cancelTimer = () => {}

  const isStored = (id: string) => messages.peek().some(message => message.id === id)

  function know(entry: PendingMessage) {
    known.set(entry.id, entry)
  }

  /** Of what is stored every tab hears as a message, but one that has missed too many to fetch them all. */
  function tellLater(id: string) {
    stored.add(id)
    cancelTimer()
    cancelTimer = clock.after(missedMs, () => {
      for (const each of stored) say({ is: 'entry', id: each })
      stored.clear()
    })
  }

  function compare(entries: readonly PendingMessage[]) {
    let wanted = false
    for (const entry of entries) {
      const before = known.get(entry.id)
      if (before === entry) continue
      know(entry)
      wanted ||= entry.status === 'waiting'
      if (before) say({ is: 'entry', id: entry.id, entry })
      // With those it comes after: who sends may not have heard of them, nor have read them yet.
      else say({ is: 'entries', entries: inLine(entries) })
    }
    for (const id of known.keys()) {
      if (entries.some(entry => entry.id === id)) continue
      known.delete(id)
      if (isStored(id)) tellLater(id)
      else say({ is: 'entry', id })
    }
    if (wanted) onWanted()
  }

  const waiting = inLine(pending.peek())
  pending.peek().forEach(know)
  if (waiting.length) say({ is: 'entries', entries: waiting })

  const undos = [
    pending.subscribe(compare),
    draft.text.subscribe(text => {
      if (text !== lastDraft) say({ is: 'draft', text })
      lastDraft = text
    }),
    readSeq.subscribe(seq => {
      if (seq > seen) say({ is: 'read', seq })
      seen = seq
    }),
  ]

  /** Shows what another tab says, in the order of writing; what is stored is there already. */
  function applyRemote(id: string, entry?: PendingMessage) {
    if (entry ? isStored(id) : !known.delete(id)) return
    if (!entry) return conversation.outbox.applyRemote(id)
    // Of a later one this tab may have heard first.
    const next = known.has(id) ? undefined : pending.peek().find(({ createdAt }) => createdAt > entry.createdAt)
    know(entry)
    conversation.outbox.applyRemote((next ?? entry).id, entry, ...(next ? [next] : []))
  }

  /** Takes up what stands in storage: drafts and own messages of all tabs. */
  function catchUp() {
    const written = draft.text.peek()
    void cache.put(epoch, stored => {
      // A slow database: somebody else may be here by now, to whom this must be neither shown nor left to send.
      if (abortSignal.aborted) return {}
      for (const entry of stored.outbox) {
        if (!known.has(entry.id)) applyRemote(entry.id, { ...entry, status: entry.failure ? 'failed' : 'waiting' })
      }
      // What is being written here is newer.
      if (draft.text.peek() !== written) return {}
      // Nor is it for others to take away who have sent theirs, or for a disk that is full.
      if (written && !stored.draft && (heard || draft.isOwn())) say({ is: 'draft', text: written })
      else {
        lastDraft = stored.draft
        heard = false
        draft.applyRemote(lastDraft)
      }
      return {}
    })
  }

  return {
    hear(tabMessage) {
      if (tabMessage.is === 'hello') {
        // Something may have been written or read here or there before either could hear of it.
        say({ is: 'read', seq: readSeq.peek() })
        catchUp()
      }
      if (tabMessage.is === 'entry') applyRemote(tabMessage.id, tabMessage.entry)
      if (tabMessage.is === 'entries') {
        for (const entry of tabMessage.entries)
          if (!known.has(entry.id)) applyRemote(entry.id, { ...entry, status: 'waiting' })
      }
      if (tabMessage.is === 'draft') {
        lastDraft = tabMessage.text
        heard = true
        draft.applyRemote(lastDraft)
      }
      if (tabMessage.is === 'read') {
        seen = Math.max(seen, tabMessage.seq)
        conversation.readState.markReadUpTo(seen)
      }
    },
    tellAll() {
      for (const entry of pending.peek()) say({ is: 'entry', id: entry.id, entry })
    },
    catchUp,
    end() {
      // A timer would remember what was said.
      cancelTimer()
      for (const undo of undos) undo()
    },
  }
}

/** Those that are still to be sent. */
const inLine = (entries: readonly PendingMessage[]) => entries.filter(({ status }) => status !== 'failed')
