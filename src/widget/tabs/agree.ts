import type { Clock } from '../clock.ts'
import type { Page } from '../page.ts'
import type { ConversationCore, PendingMessage } from '../state/conversation.ts'
import type { Seat } from '../state/link.ts'
import type { PanelCore } from '../state/panel.ts'
import type { Cache } from '../storage/cache.ts'
import type { Note } from './neighbours.ts'

/** What of the core the tabs share. */
export interface Shared {
  clock: Clock
  page: Page
  cache: Cache
  conversation: ConversationCore
  panel: PanelCore
}

/** Keeps in step what each tab has of its own: messages on their way, the draft, and what has been read. */
export interface Agreement {
  hear(note: Note): void
  /** Tells a tab that has come how own messages stand. */
  tellAll(): void
  /** Takes up what other tabs have stored. */
  catchUp(): void
  end(): void
}

/** By then a stored message has come to every tab that hears of it. */
const missedMs = 1500

/** `onWanted` is called when the visitor sends something here. */
export function createAgreement(
  { cache, clock, conversation, panel }: Shared,
  { epoch, over }: Pick<Seat, 'epoch' | 'over'>,
  say: (note: Note) => void,
  onWanted: () => void,
): Agreement {
  const { messages, pending, readSeq } = conversation
  /** As all tabs know them. */
  const known = new Map<string, PendingMessage>()
  let draft = panel.draft.peek()
  /** Another tab has said it, and may not have stored it yet. */
  let heard = false
  let seen = 0
  /** Own messages that are stored, of which other tabs are still to be told, and what keeps that from happening. */
  const stored = new Set<string>()
  let calledOff = () => {}

  const isStored = (id: string) => messages.peek().some(message => message.id === id)

  function know(entry: PendingMessage) {
    known.set(entry.id, entry)
  }

  /** Of what is stored every tab hears as a message, but one that has missed too many to fetch them all. */
  function tellLater(id: string) {
    stored.add(id)
    calledOff()
    calledOff = clock.after(missedMs, () => {
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
    panel.draft.subscribe(text => {
      if (text !== draft) say({ is: 'draft', text })
      draft = text
    }),
    readSeq.subscribe(seq => {
      if (seq > seen) say({ is: 'read', seq })
      seen = seq
    }),
  ]

  /** Shows what another tab says, in the order of writing; what is stored is there already. */
  function mirror(id: string, entry?: PendingMessage) {
    if (entry ? isStored(id) : !known.delete(id)) return
    if (!entry) return conversation.mirror(id)
    // Of a later one this tab may have heard first.
    const next = known.has(id) ? undefined : pending.peek().find(({ createdAt }) => createdAt > entry.createdAt)
    know(entry)
    conversation.mirror((next ?? entry).id, entry, ...(next ? [next] : []))
  }

  /** Takes up what stands in storage: drafts and own messages of all tabs. */
  function catchUp() {
    const written = panel.draft.peek()
    void cache.put(epoch, stored => {
      // A slow database: somebody else may be here by now, to whom this must be neither shown nor left to send.
      if (over.aborted) return {}
      for (const entry of stored.outbox) {
        if (!known.has(entry.id)) mirror(entry.id, { ...entry, status: entry.failure ? 'failed' : 'waiting' })
      }
      // What is being written here is newer.
      if (panel.draft.peek() !== written) return {}
      // Nor is it for others to take away who have sent theirs, or for a disk that is full.
      if (written && !stored.draft && (heard || panel.isOwn())) say({ is: 'draft', text: written })
      else {
        draft = stored.draft
        heard = false
        panel.setDraft(draft, true)
      }
      return {}
    })
  }

  return {
    hear(note) {
      if (note.is === 'hello') {
        // Something may have been written or read here or there before either could hear of it.
        say({ is: 'read', seq: readSeq.peek() })
        catchUp()
      }
      if (note.is === 'entry') mirror(note.id, note.entry)
      if (note.is === 'entries') {
        for (const entry of note.entries) if (!known.has(entry.id)) mirror(entry.id, { ...entry, status: 'waiting' })
      }
      if (note.is === 'draft') {
        draft = note.text
        heard = true
        panel.setDraft(draft, true)
      }
      if (note.is === 'read') {
        seen = Math.max(seen, note.seq)
        conversation.advance(seen)
      }
    },
    tellAll() {
      for (const entry of pending.peek()) say({ is: 'entry', id: entry.id, entry })
    },
    catchUp,
    end() {
      // A timer would remember what was said.
      calledOff()
      for (const undo of undos) undo()
    },
  }
}

/** Those that are still to be sent. */
const inLine = (entries: readonly PendingMessage[]) => entries.filter(({ status }) => status !== 'failed')
