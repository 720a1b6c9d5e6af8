import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationState, Message, StreamEvent } from '../../../contract/index.ts'
import type { ConversationEvent } from '../../api/eventStream.ts'
import type { Stored } from '../../storage/guards.ts'
import type { Deps, KeepOptions, SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'
import { type BotProfileDeps, BotProfileModel } from './botProfile.ts'
import { type Connection, EventConnection, type EventConnectionDeps } from './eventConnection.ts'
import { MessageStore, type MessageStoreDeps } from './messageStore.ts'
import { Outbox, type OutboxDeps, type PendingMessage } from './outbox.ts'
import { PageAnnouncer } from './pageAnnouncer.ts'
import { ReadState } from './readState.ts'
import { StreamingReply, type StreamingState } from './streamingReply.ts'

export type { Connection, PendingMessage, StreamingState }

/** The part of a conversation that the panel uses. */
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

/** The part of a conversation that the rest of the core uses. */
export interface ConversationCore extends ConversationModel {
  readonly botProfile: BotProfileModel
  readonly messageStore: MessageStore
  readonly outbox: Outbox
  readonly reply: StreamingReply
  readonly readState: ReadState
  /** Switches to another session and clears everything at once, except for the unsent messages that `options` keeps. */
  reset(scope: SessionScope, options?: KeepOptions): void
  /** Shows the stored messages, once it is known whose session it is. `state` is `null` without a token. */
  restoreFromCache(scope: SessionScope, state: ConversationState | null, stored: Stored): void
  /** Connects with the scope's new token: the first one of an anonymous session, or a refreshed one of a contact. */
  connect(scope: SessionScope): void
  /** Takes over `navigator.onLine`. */
  setOnline(isOnline: boolean): void
  /** Takes over whether the last request got a response. */
  setReachable(isReachable: boolean): void
}

export function createConversation(deps: ConversationDeps): ConversationCore {
  const { api, backoff } = deps
  let scope: SessionScope | undefined
  /** Whether it is known whose session it is. */
  let isSettled = false
  /** Resolves when the newest messages are loaded. The stream continues after them. */
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

  /** Removes the pending messages and the streaming reply that the stored messages replace. */
  function onShow(messages: readonly Message[]) {
    outbox.acknowledge(messages)
    for (const { id } of messages) reply.discard(id)
    // Replies never overlap, so another reply that is still streaming will never be finished: its node has died.
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
        // The stored message may have arrived with the history already.
        if (!messageStore.has(data.id)) reply.append(data)
        break
      case 'message.aborted':
        reply.setTyping(null)
        reply.discard(data.id)
        break
      case 'typing':
        reply.setTyping(data)
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
        // The `seq` of another conversation begins at 1.
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
      // Call it even if there was no token: another tab may have created the anonymous session meanwhile.
      eventConnection.connect(current)
    },
    connect: current => eventConnection.connect(current),
    setOnline(isOnline) {
      eventConnection.setOnline(isOnline)
      backoff.retryNow()
      // `navigator.onLine` may be wrong in either direction, so reconnect: that shows whether the network works.
      if (scope && isSettled) eventConnection.connect(scope)
      void outbox.flush()
    },
    setReachable: isReachable => eventConnection.setReachable(isReachable),
  }
}
