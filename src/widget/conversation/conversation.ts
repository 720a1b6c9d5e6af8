import { effect, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import type { SendAsVisitor } from '../api/contactData.ts'
import type { ConversationEvent } from '../api/eventStream.ts'
import type { TabChannel } from '../environment/page.ts'
import type { KeepOptions, SessionScope } from '../identity/sessionScope.ts'
import type { OpenedRecords } from '../store/records.ts'
import type { TabMessage } from '../tabs/tabChannel.ts'
import { setState, updateState } from '../updateState.ts'
import type { AttachmentsModel } from './attachments/attachments.ts'
import { BotProfileModel } from './botProfile.ts'
import { type Connection, EventConnection, type EventConnectionDeps } from './eventConnection.ts'
import { HandoverRequest } from './handoverRequest.ts'
import { LazyAttachments, type LazyAttachmentsDeps } from './lazyAttachments.ts'
import { MessageStore } from './messageStore.ts'
import { Outbox } from './outbox.ts'
import type { PendingMessage } from './pendingMessage.ts'
import { Ratings } from './ratings.ts'
import { ReadState } from './readState.ts'
import { StreamingReply, type StreamingState } from './streamingReply.ts'

export type { Connection, PendingMessage, StreamingState }

/** The part of a conversation that the panel uses. */
export interface ConversationModel {
  readonly botProfile: Pick<BotProfileModel, 'profile' | 'status' | 'load'>
  readonly messageStore: Pick<MessageStore, 'messages' | 'history' | 'loadOlder'>
  /** The visitor's own messages until they are stored. */
  readonly outbox: Pick<Outbox, 'pending' | 'send' | 'retry' | 'remove'>
  readonly reply: Pick<StreamingReply, 'streaming' | 'typing' | 'isStoppable' | 'isPaused'>
  readonly readState: Pick<ReadState, 'readSeq' | 'unread' | 'markRead'>
  readonly ratings: Pick<Ratings, 'pending' | 'rate'>
  /** Asks for a person of the team. The platform answers with a message that says so. */
  readonly handoverRequest: Pick<HandoverRequest, 'status' | 'send'>
  /** Whether the anonymous visitor has left an email address. */
  readonly hasEmail: ReadonlySignal<boolean>
  readonly attachments: {
    /** `null` until it has been loaded. */
    readonly model: ReadonlySignal<AttachmentsModel | null>
    /** Loads the model. Resolves to `undefined` when the widget is destroyed. */
    load(): Promise<AttachmentsModel | undefined>
  }
  readonly connection: ReadonlySignal<Connection>
  /** Asks the platform to stop the bot's reply. What has been written of it stays. */
  stopReply(): Promise<void>
  /** For requests of code that is a chunk of its own. */
  send: SendAsVisitor
  /** Leaves an email address of the anonymous visitor. `invalid`: it is none. It is not tried again if it `failed`. */
  leaveEmail(email: string): Promise<'left' | 'invalid' | 'failed'>
}

type Deps = LazyAttachmentsDeps & Pick<EventConnectionDeps, 'stream'>

const emptyTranscript = { messages: [], revision: 0 }

/** Composes the models of a conversation and passes events between them. */
export class Conversation implements ConversationModel {
  readonly #deps: Deps
  readonly #eventConnection: EventConnection
  #scope: SessionScope | undefined
  /** Messages up to this `seq` have been emitted, or existed when the session was restored. */
  #emittedSeq = 0
  /** The other tabs of the visitor. */
  #tabs: TabChannel<TabMessage> | undefined
  /** Resolves when the newest messages are loaded. The stream continues after them. */
  #caughtUp: Promise<void> | undefined

  readonly botProfile: BotProfileModel
  readonly messageStore: MessageStore
  readonly outbox: Outbox
  readonly reply: StreamingReply
  readonly readState: ReadState
  readonly ratings: Ratings
  readonly handoverRequest: HandoverRequest
  readonly #hasEmail = signal(false)
  readonly hasEmail: ReadonlySignal<boolean> = this.#hasEmail
  readonly attachments: LazyAttachments
  readonly connection: ReadonlySignal<Connection>

  constructor(deps: Deps) {
    this.#deps = deps
    this.botProfile = new BotProfileModel(deps)
    this.messageStore = new MessageStore({
      ...deps,
      onShow: messages => this.#onShow(messages),
      onShown: messages => this.#emitNew(messages),
      onCaughtUp: () => this.outbox.acknowledgeAccepted(),
    })
    this.reply = new StreamingReply(deps.clock)
    this.readState = new ReadState(this.messageStore.messages, seq => {
      this.#tabs?.post({ type: 'read', seq })
      if (this.#scope) void deps.api.markRead(this.#scope, undefined, { seq })
    })
    this.ratings = new Ratings({ ...deps, onRated: change => this.messageStore.applyChange(change, true) })
    this.handoverRequest = new HandoverRequest({
      ...deps,
      onRequested: () => this.#eventConnection.expectReply(),
      onUnavailable: () => void this.botProfile.reload(),
    })
    this.attachments = new LazyAttachments(deps)
    this.outbox = new Outbox({
      ...deps,
      files: this.attachments,
      isShown: id => this.messageStore.has(id),
      onAccepted: (scope, message) => this.#onAccepted(scope, message),
      onSaved: () => this.#tabs?.post({ type: 'outbox' }),
    })
    this.#eventConnection = new EventConnection({
      ...deps,
      messageStore: this.messageStore,
      caughtUp: () => this.#caughtUp,
      onEvent: (scope, event) => {
        // Each tab ends the session by itself. This event could come when the next one has begun.
        if (event.event !== 'session.ended') this.#tabs?.post({ type: 'event', event })
        this.#onEvent(scope, event)
      },
    })
    this.connection = this.#eventConnection.connection
    const dispose = effect(() => this.attachments.keepOnly(this.messageStore.messages.value, this.outbox.pending.value))
    deps.abortSignal.addEventListener('abort', () => {
      dispose()
      this.#stop()
    })
  }

  /** Switches to another session and clears everything at once, except for the unsent messages that `options` keeps. */
  reset(scope: SessionScope, options: KeepOptions): void {
    updateState(() => {
      this.#stop()
      this.#scope = scope
      this.#caughtUp = undefined
      this.handoverRequest.reset(scope)
      // The `seq` of another conversation begins at 1.
      this.#emittedSeq = 0
      this.messageStore.reset(scope)
      this.readState.reset(null)
      this.ratings.reset(scope)
      this.#hasEmail.value = false
      this.outbox.reset(scope, options)
      this.attachments.reset(scope, this.outbox.pending.peek(), options)
    })
  }

  /** Shows the cached messages, once it is known whose session it is. `state` is `null` without a token. */
  restoreFromCache(scope: SessionScope, state: ConversationState | null, stored: OpenedRecords): void {
    const { lastSeq = 0, revision = 0, hasEmail = false } = state ?? {}
    updateState(() => {
      this.#hasEmail.value = hasEmail
      this.readState.reset(state)
      this.#emittedSeq = lastSeq
      this.messageStore.restoreFromCache(state ? stored.transcript : emptyTranscript, { lastSeq, revision })
      this.outbox.restoreFromCache(stored.outbox)
      this.outbox.acknowledge(this.messageStore.messages.peek())
    })
    if (this.messageStore.lastSeq() < lastSeq) this.#caughtUp = this.messageStore.catchUp(scope)
    // Call it even if there was no token: another tab may have created the anonymous session meanwhile.
    this.connect(scope)
  }

  /** Connects with the scope's new token: the first one of an anonymous session, or another one of a contact. */
  connect = (scope: SessionScope): void => {
    if (scope.token) void this.#joinTabs(scope)
    this.#eventConnection.connect(scope)
  }

  stopReply = async (): Promise<void> => {
    const id = this.reply.stop()
    if (!this.#scope || id === undefined) return
    await this.#deps.api.stopReply(
      this.#scope,
      ({ transient, ended }) => {
        // The platform refuses it.
        if (!transient && !ended) this.reply.undoStop(id)
        return !this.reply.isStopped(id)
      },
      { id },
    )
  }

  send: SendAsVisitor = async (spec, isWanted) => {
    const credentials = this.#scope?.credentials(isWanted)
    return credentials && this.#deps.api.request(credentials, spec, ({ transient, ended }) => !transient && !ended)
  }

  leaveEmail = async (email: string): ReturnType<ConversationModel['leaveEmail']> => {
    const scope = this.#scope
    let failure: 'invalid' | 'failed' | undefined
    const noteFailure: StopCondition = ({ status }) => {
      failure = status === 400 ? 'invalid' : 'failed'
      return true
    }
    // The session may have ended while the form was open.
    if (!scope || !(await this.#deps.acquireToken(scope, noteFailure))) return 'failed'
    await this.#deps.api.leaveEmail(scope, noteFailure, { email })
    if (failure || scope.abortSignal.aborted) return failure ?? 'failed'
    setState(this.#hasEmail, true)
    return 'left'
  }

  /** Takes over `navigator.onLine`. */
  setOnline(isOnline: boolean): void {
    this.#eventConnection.setOnline(isOnline)
    this.#deps.backoff.retryNow()
    // `navigator.onLine` may be wrong in either direction, so reconnect: that shows whether the network works.
    if (this.#scope?.isReady.peek()) this.connect(this.#scope)
    void this.outbox.flush()
  }

  /** Takes over whether the last request got a response. */
  setReachable(isReachable: boolean): void {
    this.#eventConnection.setReachable(isReachable)
  }

  /** Removes the pending messages and the streaming reply that the stored messages replace. */
  #onShow(messages: readonly Message[]): void {
    this.outbox.acknowledge(messages)
    for (const { id } of messages) this.reply.discard(id)
    for (const message of messages) if (message.seq > this.#emittedSeq) this.#noteNew(message)
  }

  #emitNew(messages: readonly Message[]): void {
    const fresh = messages.filter(({ seq, event, removedAt }) => seq > this.#emittedSeq && !event && !removedAt)
    this.#emittedSeq = Math.max(this.#emittedSeq, messages.at(-1)?.seq ?? 0)
    for (const message of fresh) this.#deps.emit('message', message)
  }

  #noteNew({ event, author }: Message): void {
    this.botProfile.noteMessage()
    // Somebody of the team is there, or was asked for in another tab.
    if (event || author === 'agent') this.handoverRequest.clear()
    // Another reply that is still streaming will never be finished: its node has died.
    this.reply.endWith(author)
  }

  #onAccepted(scope: SessionScope, message: Message): void {
    // Without waiting for older messages that must be fetched first.
    this.botProfile.noteMessage()
    this.#tabs?.post({ type: 'stored', message })
    this.#receive(scope, message)
    this.#eventConnection.expectReply()
  }

  #receive(scope: SessionScope, message: Message): void {
    this.outbox.accept(message.id)
    if (message.seq <= this.messageStore.lastSeq()) this.outbox.acknowledge([message])
    else this.messageStore.receive(scope, message)
  }

  #onEvent(scope: SessionScope, { event, data }: ConversationEvent): void {
    switch (event) {
      case 'message':
        this.#receive(scope, data)
        break
      case 'message.changed':
        this.messageStore.applyChange(data)
        break
      case 'message.delta':
        this.botProfile.noteMessage()
        // The stored message may have arrived with the history already.
        if (!this.messageStore.has(data.id)) this.reply.append(data)
        break
      case 'message.aborted':
        this.reply.discard(data.id)
        break
      case 'typing':
        this.reply.setTyping(data)
        break
      case 'read':
        this.readState.markReadUpTo(data.seq)
        break
      case 'reset':
        void this.messageStore.catchUp(scope)
        break
      case 'session.ended':
        this.#deps.onEnded(scope, data.reason)
        break
      default:
        event satisfies never
    }
  }

  async #joinTabs(scope: SessionScope): Promise<void> {
    const { stream, page, sharedPrefix, abortSignal } = this.#deps
    try {
      const { openTabChannel } = await stream()
      if (this.#tabs || scope !== this.#scope || scope.abortSignal.aborted || abortSignal.aborted) return
      this.#tabs = openTabChannel(sharedPrefix + scope.epoch, {
        page,
        outbox: this.outbox,
        readState: this.readState,
        messageStore: this.messageStore,
        isLive: () => this.#eventConnection.isLive(),
        onEvent: event => this.#onEvent(scope, event),
        onStored: message => this.#receive(scope, message),
      })
    } catch {
      // Without that code this tab hears the platform only.
    }
  }

  #stop(): void {
    this.#tabs?.close()
    this.#tabs = undefined
    this.#eventConnection.disconnect()
    this.reply.clear()
  }
}
