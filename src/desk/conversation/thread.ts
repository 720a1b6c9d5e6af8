import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import type {
  DeskConversation,
  DeskEvent,
  DeskMessage,
  MemberSummary,
  OpenedConversation,
  Person,
} from '../../contract/desk.ts'
import type { Attachment, MessageChange } from '../../contract/index.ts'
import { cleanText, isBlank, maxMessageLength, messageLength } from '../../widget/conversation/messageText.ts'
import { ApiError } from '../ApiError.ts'
import type { Api } from '../api.ts'
import type { DeskEvents } from '../events.ts'
import { findVariable } from '../savedReplies/variables.ts'
import { createDraftFiles, type DraftFiles } from './draftFiles.ts'
import { createDrafts, type Drafts, type WritingMode } from './drafts.ts'
import { isTemporary } from './isTemporary.ts'
import { createOutbox, type Unsent } from './outbox.ts'
import { applyChanges, interleave, mergeMessages, mergeNotes, type TimelineItem, toItem } from './timeline.ts'
import { createTypists, type Typist } from './typists.ts'

export interface ThreadDeps {
  api: Api
  events: Pick<DeskEvents, 'page' | 'status' | 'subscribe' | 'emit'>
  /** The signed-in member. */
  me: MemberSummary
  createId?: () => string
}

/** Whether there are messages before those that are loaded. */
export type History = 'loading' | 'more' | 'failed' | 'complete'

/**
 * What the member has to know before it goes on: somebody of the team has answered since the draft was begun, somebody
 * else owns the conversation, or an action has failed. `name` is unknown if a server of the organization has answered.
 */
export type Obstacle =
  | { kind: 'answered_meanwhile' | 'claimed_by_other'; name: string | undefined }
  | { kind: 'action_failed' }

/** A conversation that has been loaded, and follows what happens to it. */
export interface Thread {
  readonly me: MemberSummary
  readonly conversation: ReadonlySignal<DeskConversation>
  readonly person: ReadonlySignal<Person>
  /** Messages and notes in order, and at the end what has not been sent. */
  readonly items: ReadonlySignal<readonly TimelineItem[]>
  readonly history: ReadonlySignal<History>
  /** Members who look at it, too. */
  readonly viewers: ReadonlySignal<readonly MemberSummary[]>
  readonly typists: ReadonlySignal<readonly Typist[]>
  readonly obstacle: ReadonlySignal<Obstacle | null>
  readonly mode: ReadonlySignal<WritingMode>
  readonly drafts: Pick<Drafts, 'texts'>
  readonly files: DraftFiles
  readonly isOffline: ReadonlySignal<boolean>
  /** Whether something would be lost with this model. */
  readonly hasUnsaved: ReadonlySignal<boolean>
  /** Counts the requests to put the focus into the composer. */
  readonly focusRequests: ReadonlySignal<number>
  /** Fetches what has changed. Resolves when that is shown. */
  catchUp(): Promise<void>
  /** Takes an event of the desk's stream. */
  handle(event: DeskEvent): void
  loadOlder(): Promise<void>
  /** The member has seen all that is loaded. */
  markSeen(): void
  /** Where a file of the conversation is. */
  fileUrl(file: Pick<Attachment, 'id'>): string
  /** Puts the focus into the field for a reply or a note. */
  write(mode: WritingMode): void
  setMode(mode: WritingMode): void
  setText(text: string): void
  /** Sends what is written. Returns whether there was something to send. */
  send(): boolean
  /** Puts a message that could not be sent back into the composer. */
  edit(id: string): void
  /** Takes the conversation over from its owner as far as the member knows, `null` for nobody. */
  claim(from: string | null): Promise<boolean>
  handBack(): Promise<boolean>
  /** Resolves to whether it is closed: not if the visitor has written what is not shown yet. */
  close(): Promise<boolean>
  reopen(): Promise<boolean>
  removeMessage(id: string): Promise<boolean>
  /** Ends all sessions of the contact. */
  signOutEverywhere(): Promise<boolean>
  /** Resolves to everything that is stored about the contact; `undefined` if that failed. */
  exportPerson(): Promise<unknown>
  /** Deletes the contact, and the conversation. */
  erase(): Promise<boolean>
  /** Ends the conversation of a guest. */
  block(): Promise<boolean>
  /** Keeps the drafts now. Resolves when that is done, or has failed. */
  flush(): Promise<void>
  dispose(): void
}

/** A list of changes with so many entries has not ended. */
const maxChanges = 100
const retryMs = 2000
const typingEveryMs = 3000

export function createThread(
  { api, events, me, createId = () => crypto.randomUUID() }: ThreadDeps,
  opened: OpenedConversation,
): Thread {
  const { id } = opened.conversation
  const path = `/conversations/${encodeURIComponent(id)}` as const
  const conversation = signal(opened.conversation)
  const messages = signal(opened.messages)
  const notes = signal(opened.notes)
  const person = signal(opened.person)
  const history = signal<History>(opened.messages[0]?.seq === 1 ? 'complete' : 'more')
  const viewers = signal<readonly MemberSummary[]>([])
  const typists = createTypists()
  const obstacle = signal<Obstacle | null>(null)
  const { reply, note, knownSeq } = opened.drafts
  const mode = signal<WritingMode>(isBlank(reply) && !isBlank(note) ? 'note' : 'reply')
  const focusRequests = signal(0)
  /** Changed messages. One may come before the page that has its message as it was. */
  const changed = new Map<string, MessageChange['message']>()
  let revision = opened.revision
  let lastNote = opened.notes.at(-1)?.number ?? 0
  let isDisposed = false

  const lastSeq = () => messages.peek().at(-1)?.seq ?? 0

  const setConversation = (next: DeskConversation) => {
    if (next.version <= conversation.peek().version) return
    conversation.value = next
    const isOthers = next.assignee && next.assignee.id !== me.id
    if (obstacle.peek()?.kind === 'claimed_by_other' && !isOthers) obstacle.value = null
  }

  // What happens to the conversation.

  async function fetchChanges(): Promise<void> {
    const { data } = await api.get<'listConversationChanges'>(`${path}/changes`, {
      after: lastSeq() || undefined,
      revision: revision || undefined,
      notes: lastNote || undefined,
    })
    batch(() => {
      for (const { message } of data.changes) changed.set(message.id, message)
      messages.value = applyChanges(mergeMessages(messages.peek(), data.messages), changed)
      notes.value = mergeNotes(notes.peek(), data.notes)
      revision = data.changes.at(-1)?.revision ?? revision
      lastNote = data.notes.at(-1)?.number ?? lastNote
      person.value = data.person
      setConversation(data.conversation)
    })
    for (const { author, memberId } of data.messages)
      if (author === 'visitor' || memberId !== undefined) typists.remove(memberId)
    if ([data.messages, data.changes, data.notes].some(({ length }) => length >= maxChanges)) await fetchChanges()
  }

  let catchingUp: Promise<void> | undefined
  let isBehind = false
  /** Does so again if more happens meanwhile. */
  function catchUp(): Promise<void> {
    isBehind = true
    catchingUp ??= (async () => {
      while (isBehind && !isDisposed) {
        isBehind = false
        await fetchChanges().catch(async error => {
          if (error instanceof ApiError && error.status === 404)
            return events.emit({ event: 'gone', data: { conversationId: id } })
          isBehind = isTemporary(error)
          await new Promise(resolve => setTimeout(resolve, retryMs))
        })
      }
      catchingUp = undefined
    })()
    return catchingUp
  }

  function handle({ event, data }: DeskEvent): void {
    if (event === 'reset') void catchUp()
    if (event === 'conversation' && data.id === id && data.version > conversation.peek().version) {
      setConversation(data)
      void catchUp()
    }
    if (event === 'typing' && data.conversationId === id && data.member?.id !== me.id) typists.add(data.member ?? null)
    if (event === 'viewers' && data.conversationId === id)
      viewers.value = data.members.filter(member => member.id !== me.id)
  }

  async function loadOlder(): Promise<void> {
    const [first] = messages.peek()
    if (!first || history.peek() === 'loading' || history.peek() === 'complete') return
    history.value = 'loading'
    try {
      const { data } = await api.get<'listEarlierMessages'>(`${path}/earlier`, { before: first.seq })
      batch(() => {
        messages.value = applyChanges(mergeMessages(messages.peek(), data.messages), changed)
        notes.value = mergeNotes(notes.peek(), data.notes)
        history.value = (data.messages[0]?.seq ?? 1) === 1 ? 'complete' : 'more'
      })
    } catch {
      history.value = 'failed'
    }
  }

  function markSeen(): void {
    const seq = lastSeq()
    const { unseen, seenSeq } = conversation.peek()
    // The next change tries again.
    if (unseen > 0 && seq > seenSeq) api.post<'markSeen'>(`${path}/seen`, { seq }).catch(() => {})
  }

  // What the member does.

  async function act(request: () => Promise<{ data: DeskConversation } | undefined>): Promise<boolean> {
    try {
      const response = await request()
      if (response) setConversation(response.data)
      obstacle.value = null
      void catchUp()
      return true
    } catch (error) {
      await showObstacle(error, lastSeq())
      return false
    }
  }

  /** Shows why a request was refused, with what the others have done. */
  async function showObstacle(error: unknown, knownSeq: number): Promise<void> {
    const code = error instanceof ApiError ? error.code : undefined
    if (code !== 'claimed_by_other' && code !== 'answered_meanwhile') {
      obstacle.value = { kind: 'action_failed' }
      return
    }
    await catchUp()
    // Who has written nothing sees in the header who answers.
    const hasWritten = !isBlank(drafts.texts.peek().reply) || files.status.peek() !== 'empty'
    if (code === 'claimed_by_other' && !hasWritten) return
    const isOthers = ({ seq, author, memberId }: DeskMessage) =>
      seq > knownSeq && author === 'agent' && memberId !== me.id
    const name =
      code === 'claimed_by_other'
        ? conversation.peek().assignee?.name
        : messages.peek().findLast(isOthers)?.sender?.name
    obstacle.value = { kind: code, name }
  }

  // What the member writes.

  const files = createDraftFiles({
    createId,
    upload: async (id, file, abortSignal) => (await api.upload(`${path}/attachments/${id}`, file, abortSignal)).data,
  })

  async function post({ kind, id, text, attachments, knownSeq }: Unsent): Promise<void> {
    if (kind === 'note') {
      const { data } = await api.post<'addNote'>(`${path}/notes`, { id, text })
      notes.value = mergeNotes(notes.peek(), [data])
      return
    }
    const named = attachments.map(({ id, name }) => ({ id, name }))
    const { data } = await api.post<'reply'>(`${path}/messages`, { id, text, attachments: named, knownSeq })
    // There must be no gap, or the messages in it would never be fetched.
    if (data.seq > lastSeq() + 1) await catchUp()
    else messages.value = mergeMessages(messages.peek(), [data])
  }

  const outbox = createOutbox({
    post,
    isConnected: computed(() => events.status.value === 'live'),
    onSent: () => drafts.flush(),
    onRefused(error, { id, knownSeq }) {
      const code = error instanceof ApiError ? error.code : undefined
      if (code !== 'claimed_by_other' && code !== 'answered_meanwhile') return false
      // Those that wait behind it would be refused, too.
      restore(outbox.take(message => message.kind === 'reply' && (message.id === id || message.status !== 'failed')))
      void showObstacle(error, knownSeq)
      return true
    },
  })

  const drafts = createDrafts(
    { reply, note },
    {
      keep: texts =>
        api.put<'keepDraft'>(`${path}/draft`, { ...texts, ...(texts.reply !== undefined && { knownSeq: draftSeq }) }),
      isUnsent: mode => outbox.unsent.peek().some(({ kind }) => kind === mode),
    },
  )
  /** The last message when the member began the reply. */
  let draftSeq = knownSeq
  let typingAt = 0

  function beginReply(): void {
    if (isBlank(drafts.texts.peek().reply) && files.status.peek() === 'empty') draftSeq = lastSeq()
  }

  function setText(text: string): void {
    const kind = mode.peek()
    if (kind === 'reply') beginReply()
    drafts.setText(kind, text)
    if (obstacle.peek()?.kind === 'action_failed') obstacle.value = null
    if (kind === 'note') return
    if (isBlank(text)) {
      if (obstacle.peek()?.kind === 'answered_meanwhile') obstacle.value = null
      return
    }
    const now = Date.now()
    if (now - typingAt < typingEveryMs) return
    typingAt = now
    // Nobody misses a notice that is lost.
    api.post<'showMemberTyping'>(`${path}/typing`).catch(() => {})
  }

  function write(next: WritingMode): void {
    mode.value = next
    focusRequests.value++
  }

  /** Puts messages back into the composer, before what was written since. */
  function restore(unsent: readonly Unsent[]): void {
    for (const { kind, text, attachments } of unsent.toReversed()) {
      const draft = drafts.texts.peek()[kind]
      drafts.setText(kind, isBlank(draft) ? text : `${text}\n\n${draft}`)
      files.restore(attachments)
    }
  }

  function send(): boolean {
    const kind = mode.peek()
    const text = cleanText(drafts.texts.peek()[kind])
    const isReply = kind === 'reply'
    const hasFiles = isReply && files.status.peek() !== 'empty'
    if (isBlank(text) && !hasFiles) return false
    if (messageLength(text) > maxMessageLength || (isReply && files.status.peek() === 'busy')) return true
    if (isReply && (findVariable(text) || person.peek().isBlocked)) return true
    // Whoever is told that somebody has answered sees that when it sends again.
    const knownSeq = obstacle.peek()?.kind === 'answered_meanwhile' ? lastSeq() : draftSeq
    const attachments = isReply ? files.take() : []
    batch(() => {
      obstacle.value = null
      outbox.send({ id: createId(), kind, text, attachments, knownSeq, createdAt: new Date().toISOString() })
      drafts.setText(kind, '')
      // A message ends that the member is shown as typing.
      typingAt = 0
    })
    return true
  }

  return {
    me,
    conversation,
    person,
    items: computed(() => {
      const stored = interleave(messages.value, notes.value)
      const ids = new Set(stored.map(({ id }) => id))
      return [...stored, ...outbox.unsent.value.filter(({ id }) => !ids.has(id)).map(unsent => toItem(unsent, me))]
    }),
    history,
    viewers,
    typists: typists.current,
    obstacle,
    mode,
    drafts,
    files: {
      ...files,
      add(added) {
        beginReply()
        files.add(added)
      },
    },
    isOffline: computed(() => events.status.value === 'offline'),
    hasUnsaved: computed(() => !drafts.areKept.value || outbox.unsent.value.length > 0 || files.files.value.length > 0),
    focusRequests,
    catchUp,
    handle,
    loadOlder,
    markSeen,
    fileUrl: ({ id }) => `/desk/api${path}/attachments/${encodeURIComponent(id)}?member=${me.id}`,
    write,
    setMode(next) {
      mode.value = next
    },
    setText,
    send,
    edit(id) {
      const taken = outbox.take(message => message.id === id)
      restore(taken)
      for (const { kind } of taken) write(kind)
    },
    async claim(from) {
      const hasClaimed = await act(() => api.post<'claim'>(`${path}/claim`, { from }))
      if (hasClaimed) write('reply')
      return hasClaimed
    },
    handBack: () => act(() => api.post<'handBack'>(`${path}/hand-back`)),
    async close() {
      const isDone = await act(() => api.post<'close'>(`${path}/close`, { knownSeq: lastSeq() }))
      return isDone && conversation.peek().state === 'closed'
    },
    reopen: () => act(() => api.post<'reopen'>(`${path}/reopen`)),
    removeMessage: id => act(() => api.delete<'removeMessage'>(`${path}/messages/${encodeURIComponent(id)}`)),
    signOutEverywhere: () => act(() => api.post<'signOutEverywhere'>(`${path}/person/sign-out`)),
    async exportPerson() {
      let exported: unknown
      await act(async () => {
        exported = await api.post<'exportPerson'>(`${path}/person/export`)
        return undefined
      })
      return exported
    },
    erase: () => act(() => api.delete<'erasePerson'>(`${path}/person`)),
    block: () => act(() => api.post<'blockPerson'>(`${path}/person/block`)),
    flush: drafts.flush,
    dispose() {
      isDisposed = true
      outbox.dispose()
      drafts.dispose()
      typists.dispose()
    },
  }
}
