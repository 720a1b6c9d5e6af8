import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationState, Message, StreamEvent } from '../../../contract/index.ts'
import type { ConversationEvent } from '../../api/eventStream.ts'
import type { Stored } from '../../storage/guards.ts'
import type { Deps, SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'
import { type BotProfileDeps, BotProfileModel } from './botProfile.ts'
import { type Connection, EventConnection, type EventConnectionDeps } from './eventConnection.ts'
import { MessageStore, type MessageStoreDeps } from './messageStore.ts'
import { Outbox, type OutboxDeps, type PendingMessage } from './outbox.ts'
import { PageAnnouncer } from './pageAnnouncer.ts'
import { ReadState } from './readState.ts'
import { StreamingReply, type StreamingState } from './streamingReply.ts'

export type { Connection, PendingMessage, StreamingState }

/** Everything the panel shows of a conversation. */
export interface ConversationModel {
  readonly botProfile: Pick<BotProfileModel, 'profile' | 'status' | 'load'>
  readonly messageStore: Pick<MessageStore, 'messages' | 'history' | 'loadOlder'>
  /** The visitor's own messages until they are stored. */
  readonly outbox: Pick<Outbox, 'pending' | 'maxLength' | 'send' | 'retry' | 'remove'>
  readonly reply: Pick<StreamingReply, 'streaming' | 'typing'>
  readonly readState: Pick<ReadState, 'readSeq' | 'unread' | 'markRead'>
  readonly connection: ReadonlySignal<Connection>
}

export interface ConversationDeps
  extends Deps,
    Pick<OutboxDeps, 'createMessageId' | 'readContext' | 'acquireToken' | 'finishDraft'>,
    Pick<EventConnectionDeps, 'channelPrefix' | 'joinTabs'>,
    Pick<BotProfileDeps, 'onRefused'>,
    Pick<MessageStoreDeps, 'retryRestore'> {
  onEnded(scope: SessionScope, reason: Extract<StreamEvent, { event: 'session.ended' }>['data']['reason']): void
}

/** What the rest of the core does with the conversation. */
export interface ConversationCore extends ConversationModel {
  readonly botProfile: BotProfileModel
  readonly messageStore: MessageStore
  readonly outbox: Outbox
  readonly reply: StreamingReply
  readonly readState: ReadState
  /**
   * Another session from now on: everything that is shown goes at once. `keepUnsent` only where an anonymous session has
   * expired, or storage was emptied, in an open page: the page's own unsent messages go on into the next anonymous session.
   */
  reset(scope: SessionScope, options?: { keepUnsent?: boolean }): void
  /** The session is settled: what is stored of it may be shown. `state` is `null` without a token. */
  restoreFromCache(scope: SessionScope, state: ConversationState | null, stored: Stored): void
  /** The session has got a token: an anonymous one its first, a contact's another. */
  connect(scope: SessionScope): void
  /** The browser says whether there is a network. */
  setOnline(isOnline: boolean): void
  /** The last request reached something, or nothing. */
  setReachable(isReachable: boolean): void
}

export function createConversation(deps: ConversationDeps): ConversationCore {
  const { api, backoff } = deps
  let scope: SessionScope | undefined
  let isSettled = false
  /** Resolves when the history is loaded, from which the stream continues. */
  let caughtUp: Promise<void> | undefined

  const messageStore: MessageStore = new MessageStore({
    ...deps,
    onShow,
    onShown: messages => announcer.emitNew(messages),
    onCaughtUp: () => outbox.acknowledgeAccepted(),
  })
  const reply = new StreamingReply(deps.clock)
  const readState = new ReadState(messageStore.messages, seq => {
    if (scope) void api.markRead(scope, undefined, { seq })
  })
  const announcer = new PageAnnouncer(deps, readState.unread)
  const outbox = new Outbox({ ...deps, onStored })
  const eventConnection = new EventConnection({
    ...deps,
    lastSeq: () => messageStore.lastSeq(),
    caughtUp: () => caughtUp,
    poll: current => messageStore.poll(current),
    onEvent,
    onLead: abortSignal => outbox.takeLeadership(abortSignal),
  })
  const botProfile = new BotProfileModel(deps)

  /** Stored messages replace the pending ones and the streamed reply of the same id. */
  function onShow(messages: readonly Message[]) {
    outbox.acknowledge(messages)
    for (const { id } of messages) reply.discard(id)
    // Replies never overlap, so another one that is still open will not be finished: its node has died.
    if (messages.some(message => message.author !== 'visitor' && announcer.isNew(message))) reply.clear()
  }

  function onStored(current: SessionScope, message: Message) {
    receive(current, message)
    eventConnection.expectReply()
  }

  function receive(current: SessionScope, message: Message) {
    if (messageStore.receive(current, message) === 'known') outbox.acknowledge([message])
  }

  function onEvent(current: SessionScope, { event, data }: ConversationEvent): void {
    if (event === 'message.delta' || (event === 'message' && data.author === 'bot')) botProfile.noteAnswer()
    switch (event) {
      case 'message':
        receive(current, data)
        break
      case 'message.delta':
        // The history may have been faster than the stream.
        if (!messageStore.has(data.id)) reply.append(data)
        break
      case 'message.aborted':
        reply.setTyping(null)
        reply.discard(data.id)
        break
      case 'typing':
        reply.setTyping(data.author)
        break
      case 'read':
        readState.markReadUpTo(data.seq)
        break
      case 'reset':
        void messageStore.catchUp(current)
        break
      case 'session.ended':
        deps.onEnded(current, data.reason)
        break
      default:
        event satisfies never
    }
  }

  function stop() {
    eventConnection.disconnect()
    reply.clear()
  }
  deps.abortSignal.addEventListener('abort', stop)

  return {
    botProfile,
    messageStore,
    outbox,
    reply,
    readState,
    connection: eventConnection.connection,
    reset(next, options) {
      updateState(() => {
        stop()
        scope = next
        isSettled = false
        caughtUp = undefined
        // Another conversation counts from 1 again.
        announcer.startAfter(0)
        messageStore.reset(next)
        readState.reset(null)
        outbox.reset(next, options)
      })
    },
    restoreFromCache(current, state, stored) {
      isSettled = true
      const lastSeq = state?.lastSeq ?? 0
      updateState(() => {
        readState.reset(state)
        announcer.startAfter(lastSeq)
        messageStore.restoreFromCache(current, state ? stored.transcript : [], lastSeq)
        outbox.restoreFromCache(current, stored.outbox)
        outbox.acknowledge(messageStore.messages.peek())
      })
      if (messageStore.lastSeq() < lastSeq) caughtUp = messageStore.catchUp(current)
      // Also without a token: another tab may have made the anonymous session meanwhile.
      eventConnection.connect(current)
    },
    connect: current => eventConnection.connect(current),
    setOnline(isOnline) {
      eventConnection.setOnline(isOnline)
      backoff.retryNow()
      // Don't trust the hint, try: the open stream may be dead, or the network may be back.
      if (scope && isSettled) eventConnection.connect(scope)
      void outbox.flush()
    },
    setReachable: isReachable => eventConnection.setReachable(isReachable),
  }
}
