import { batch, effect, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message, StreamEvent } from '../../../contract/index.ts'
import type { Stored } from '../../storage/guards.ts'
import type { SessionScope } from '../session/sessionScope.ts'
import { type BotProfile, type BotProfileDeps, createBotProfile } from './botProfile.ts'
import { type Connection, createEventConnection, type EventConnectionDeps } from './eventConnection.ts'
import { createOutbox, type Outbox, type OutboxDeps, type PendingMessage } from './outbox.ts'
import { createReadState, type ReadState } from './readState.ts'
import { createStreamingReply, type StreamingReply, type StreamingState } from './streamingReply.ts'

export type { Connection, PendingMessage, StreamingState }

/** The stored messages that this browser has loaded. */
export interface MessageStore {
  /** Ascending by `seq`, without gaps. */
  readonly messages: ReadonlySignal<readonly Message[]>
  /** `complete`: the first message of the conversation is loaded. */
  readonly history: ReadonlySignal<'loading' | 'more' | 'failed' | 'complete'>
  /** Loads the page of older messages, or retries the request that failed. */
  loadOlder(): Promise<void>
}

/** Everything the panel shows of a conversation. */
export interface ConversationModel {
  readonly botProfile: BotProfile
  readonly messageStore: MessageStore
  /** The visitor's own messages until they are stored. */
  readonly outbox: Pick<Outbox, 'pending' | 'send' | 'retry' | 'remove'>
  readonly reply: Pick<StreamingReply, 'streaming' | 'typing'>
  readonly readState: Pick<ReadState, 'readSeq' | 'unread' | 'markRead'>
  readonly connection: ReadonlySignal<Connection>
}

export interface ConversationDeps
  extends Omit<OutboxDeps, 'onStored'>,
    Pick<EventConnectionDeps, 'channelName' | 'join'>,
    Pick<BotProfileDeps, 'onRefused'> {
  onEnded(scope: SessionScope, reason: Extract<StreamEvent, { event: 'session.ended' }>['data']['reason']): void
}

/** What the rest of the core does with the conversation. */
export interface ConversationCore extends ConversationModel {
  readonly outbox: Outbox
  readonly reply: StreamingReply
  readonly readState: ReadState
  /** Another identity from now on: everything that is shown goes, but with `keepUnsent` what waits to be sent. */
  begin(scope: SessionScope, options: { keepUnsent: boolean }): void
  /** The identity is settled. `state` is `null` without a token. */
  enter(scope: SessionScope, state: ConversationState | null, stored: Stored): void
  /** The anonymous conversation has got its token. */
  join(scope: SessionScope): void
  setOnline(online: boolean): void
}

/** Messages that are kept in the browser. */
const keptMessages = 100

export function createConversation(deps: ConversationDeps): ConversationCore {
  const { api, page, backoff, cache, emit, onEnded } = deps
  const messages = signal<readonly Message[]>([])
  const history = signal<'loading' | 'more' | 'failed' | 'complete'>('loading')
  const botProfile = createBotProfile(deps)
  const reply = createStreamingReply(deps.clock)
  const readState = createReadState(messages, seq => {
    if (scope) void api.markRead(scope, undefined, { seq })
  })
  const outbox = createOutbox({ ...deps, onStored: receive })
  const lastSeq = () => messages.peek().at(-1)?.seq ?? 0
  const link = createEventConnection({ ...deps, lastSeq, caughtUp: () => caughtUp, onEvent, onLead: outbox.lead })
  let scope: SessionScope | undefined
  let entered: SessionScope | undefined
  let catching: SessionScope | undefined
  let catchAgain = false
  let caughtUp: Promise<void> | undefined
  /** Messages up to here have been told to the page, or were there before. */
  let announced = 0
  let toldUnread = 0

  function settleHistory() {
    history.value = (messages.peek()[0]?.seq ?? 1) === 1 ? 'complete' : 'more'
  }

  function failHistory() {
    history.value = 'failed'
    emit('error', { code: 'history_failed' })
  }

  /** Shows stored messages, each in the place of the own one or the partial one that it was. */
  function show(next: readonly Message[]) {
    const fresh = next.filter(({ seq }) => seq > announced)
    batch(() => {
      messages.value = next
      outbox.acknowledge(next)
      // Each of them, told to the page before or not: no reply that is stored goes on coming.
      for (const { id } of next) reply.drop(id)
      // One reply comes at a time: another's is what a platform that has died began.
      if (fresh.some(({ author }) => author !== 'visitor')) reply.clear()
    })
    announced = Math.max(announced, lastSeq())
    for (const message of fresh) emit('message', message)
  }

  function receive(mine: SessionScope, message: Message) {
    const gap = message.seq - lastSeq() - 1
    if (gap > 0 || (!gap && catching === mine)) void catchUp(mine)
    else if (gap) outbox.acknowledge([message])
    else show([...messages.peek(), message])
  }

  /** Fetches the newest page until it is there; what is asked for meanwhile is one more round. */
  async function catchUp(mine: SessionScope): Promise<void> {
    catchAgain = catching === mine
    if (catchAgain) return
    catching = mine
    do {
      catchAgain = false
      const newest = await api.listMessages(mine, () => {
        if (history.peek() === 'loading' && page.online()) failHistory()
        return false
      })
      if (!newest) return
      show(joinPage(messages.peek(), newest))
    } while (catchAgain)
    outbox.acknowledge()
    catching = undefined
    settleHistory()
  }

  function start(mine: SessionScope, state: ConversationState) {
    announced = state.lastSeq
    caughtUp = undefined
    if (announced === lastSeq()) settleHistory()
    else caughtUp = catchUp(mine)
    link.connect(mine)
  }

  function onEvent(mine: SessionScope, { event, data }: StreamEvent): void {
    switch (event) {
      case 'message':
        receive(mine, data)
        break
      case 'message.delta':
        // A page of the history may have been faster than the stream.
        if (!messages.peek().some(({ id }) => id === data.id)) reply.delta(data)
        break
      case 'message.aborted':
        // The one whom it was shown for may have kept silent.
        reply.setTyping(null)
        reply.drop(data.id)
        break
      case 'typing':
        reply.setTyping(data.author)
        break
      case 'read':
        readState.markReadUpTo(data.seq)
        break
      case 'reset':
        void catchUp(mine)
        break
      case 'session.ended':
        onEnded(mine, data.reason)
        break
      case 'opened':
        break
      default:
        event satisfies never
    }
  }

  effect(() => {
    const transcript = messages.value.slice(-keptMessages)
    if (entered) void cache.put(entered.epoch, () => ({ transcript }))
  })
  function tellUnread() {
    const count = readState.unread.peek()
    if (count !== toldUnread) emit('unread', { count })
    toldUnread = count
  }
  effect(() => {
    // Not at once: what comes into an open panel is read in the same moment.
    if (readState.unread.value + 1) queueMicrotask(tellUnread)
  })
  async function loadOlder() {
    const mine = scope
    const before = messages.peek()[0]?.seq
    const failed = history.peek() === 'failed'
    if (!mine || (!failed && history.peek() !== 'more')) return
    history.value = 'loading'
    if (catching === mine) return backoff.retryNow()
    const older = await api.listMessages(mine, ({ ended }) => !ended, before)
    if (mine.abortSignal.aborted) return
    if (!older) return failHistory()
    // The list may have been replaced meanwhile.
    if (older.length && messages.peek()[0]?.seq === before) messages.value = joinPage(messages.peek(), older)
    settleHistory()
    // What is older is no longer kept by the platform.
    if (!older.length) history.value = 'complete'
  }

  const clear = () => {
    link.disconnect()
    reply.clear()
  }
  deps.abortSignal.addEventListener('abort', clear)

  return {
    botProfile,
    messageStore: { messages, history, loadOlder },
    outbox,
    reply,
    readState,
    connection: link.connection,
    begin(next, options) {
      clear()
      scope = next
      entered = undefined
      // Another conversation counts from 1 again.
      announced = 0
      messages.value = []
      history.value = 'loading'
      readState.begin(null)
      outbox.begin(next, options)
    },
    enter(mine, state, { transcript, outbox: entries }) {
      readState.begin(state)
      if (state && (transcript.at(-1)?.seq ?? 0) <= state.lastSeq) messages.value = transcript
      entered = mine
      outbox.enter(mine, entries)
      outbox.acknowledge(messages.peek())
      if (state) start(mine, state)
      else {
        settleHistory()
        // Another tab may have made the anonymous session meanwhile.
        link.connect(mine)
      }
    },
    join: link.connect,
    setOnline(next) {
      link.setOnline(next)
      if (!next) return
      backoff.retryNow()
      void outbox.flush()
      if (scope && entered === scope) link.connect(scope)
    },
  }
}

/** A page put to what is there; what doesn't join it without a gap goes, to be loaded again when needed. */
function joinPage(held: readonly Message[], page: readonly Message[]): readonly Message[] {
  const first = page[0]?.seq ?? 1
  const last = page.at(-1)?.seq ?? 0
  const older = held.filter(({ seq }) => seq < first)
  // The stream may have been faster than the page.
  const newer = held.filter(({ seq }) => seq > last)
  return [...(older.at(-1)?.seq === first - 1 ? older : []), ...page, ...(newer[0]?.seq === last + 1 ? newer : [])]
}
