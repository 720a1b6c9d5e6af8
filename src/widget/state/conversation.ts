import { batch, effect, type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotFace, ConversationState, Message, StreamEvent } from '../../contract/index.ts'
import type { Stored } from '../storage/decode.ts'
import { type BotDoors, createBot } from './bot.ts'
import { type Connection, createLink, type LinkDoors } from './link.ts'
import { createLive, type PartialReply } from './live.ts'
import { createOutbox, type Outbox, type OutboxDoors, type PendingMessage } from './outbox.ts'
import { createReading, type Reading } from './reading.ts'
import type { Scope } from './scope.ts'

export type { Connection, PartialReply, PendingMessage }

/** What is said: stored messages, own ones under way, and the reply that is coming. */
export interface ConversationModel {
  /** The bot's public face; `unavailable` where the platform doesn't know it or doesn't answer. */
  readonly bot: ReadonlySignal<BotFace | null>
  readonly botStatus: ReadonlySignal<'loading' | 'ready' | 'unavailable'>
  /** Stored messages, ascending, without gaps. */
  readonly messages: ReadonlySignal<readonly Message[]>
  /** Own messages that are not stored yet, in the order of sending; shown behind `messages`. */
  readonly pending: ReadonlySignal<readonly PendingMessage[]>
  readonly partial: ReadonlySignal<PartialReply | null>
  readonly typing: ReadonlySignal<'bot' | 'agent' | null>
  readonly connection: ReadonlySignal<Connection>
  /** `complete`: the first message is there. */
  readonly history: ReadonlySignal<'loading' | 'more' | 'failed' | 'complete'>
  readonly readSeq: ReadonlySignal<number>
  /** Messages by others after `readSeq`. */
  readonly unread: ReadonlySignal<number>
  /** Loads the page of older messages, or tries again what failed. */
  loadOlder(): Promise<void>
  /** Fetches the bot's face again. */
  retryBot(): Promise<void>
  /**
   * Puts a text of 1–4000 code points into the outbox; returns at once. `left`: the draft that is left, stored with it: no
   * page that closes has both, or neither.
   */
  send(text: string, left?: { draft: string }): void
  retry(id: string): void
  remove(id: string): void
  /** All that is shown has been seen. */
  markRead(): void
  /** Of the visitor's tabs this one acts for all: what is to happen once, happens here. */
  leads(): boolean
}

export interface ConversationDoors
  extends Omit<OutboxDoors, 'onStored'>,
    Pick<LinkDoors, 'seatName' | 'join'>,
    Pick<BotDoors, 'onRefused'> {
  onEnded(scope: Scope, reason: Extract<StreamEvent, { event: 'session.ended' }>['data']['reason']): void
}

/** What the rest of the core does with the conversation. */
export interface ConversationCore extends ConversationModel, Pick<Outbox, 'mirror' | 'pump'>, Pick<Reading, 'advance'> {
  /** Another identity from now on: everything that is shown goes. */
  begin(scope: Scope): void
  /** The identity is settled. `state` is `null` without a token. */
  enter(scope: Scope, state: ConversationState | null, stored: Stored): void
  /** The anonymous conversation has got its token. */
  join(scope: Scope): void
  setOnline(online: boolean): void
}

/** Messages that are kept in the browser. */
const keptMessages = 100

export function createConversation(doors: ConversationDoors): ConversationCore {
  const { wire, page, patience, cache, emit, onEnded } = doors
  const messages = signal<readonly Message[]>([])
  const history = signal<'loading' | 'more' | 'failed' | 'complete'>('loading')
  const bot = createBot(doors)
  const live = createLive(doors.clock)
  const reading = createReading(messages)
  const outbox = createOutbox({ ...doors, onStored: receive })
  const lastSeq = () => messages.peek().at(-1)?.seq ?? 0
  const link = createLink({ ...doors, lastSeq, caughtUp: () => caughtUp, onEvent, onLead: outbox.lead })
  let scope: Scope | undefined
  let entered: Scope | undefined
  let catching: Scope | undefined
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
      outbox.settle(next)
      // Each of them, told to the page before or not: no reply that is stored goes on coming.
      for (const { id } of next) live.drop(id)
      // One reply comes at a time: another's is what a platform that has died began.
      if (fresh.some(({ author }) => author !== 'visitor')) live.clear()
    })
    announced = Math.max(announced, lastSeq())
    for (const message of fresh) emit('message', message)
  }

  function receive(mine: Scope, message: Message) {
    const gap = message.seq - lastSeq() - 1
    if (gap > 0 || (!gap && catching === mine)) void catchUp(mine)
    else if (gap) outbox.settle([message])
    else show([...messages.peek(), message])
  }

  /** Fetches the newest page until it is there; what is asked for meanwhile is one more round. */
  async function catchUp(mine: Scope): Promise<void> {
    catchAgain = catching === mine
    if (catchAgain) return
    catching = mine
    do {
      catchAgain = false
      const newest = await wire.listMessages(mine, () => {
        if (history.peek() === 'loading' && page.online()) failHistory()
        return false
      })
      if (!newest) return
      show(joinPage(messages.peek(), newest))
    } while (catchAgain)
    outbox.settle()
    catching = undefined
    settleHistory()
  }

  function start(mine: Scope, state: ConversationState) {
    announced = state.lastSeq
    caughtUp = undefined
    if (announced === lastSeq()) settleHistory()
    else caughtUp = catchUp(mine)
    link.connect(mine)
  }

  function onEvent(mine: Scope, { event, data }: StreamEvent): void {
    switch (event) {
      case 'message':
        receive(mine, data)
        break
      case 'message.delta':
        // A page of the history may have been faster than the stream.
        if (!messages.peek().some(({ id }) => id === data.id)) live.delta(data)
        break
      case 'message.aborted':
        // The one whom it was shown for may have kept silent.
        live.setTyping(null)
        live.drop(data.id)
        break
      case 'typing':
        live.setTyping(data.author)
        break
      case 'read':
        reading.advance(data.seq)
        break
      case 'reset':
        void catchUp(mine)
        break
      case 'session.ended':
        onEnded(mine, data.reason)
        break
      case 'opened':
        // Only streams opened by `POST` begin with it, and this one is opened by `GET`.
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
    const count = reading.unread.peek()
    if (count !== toldUnread) emit('unread', { count })
    toldUnread = count
  }
  effect(() => {
    // Not at once: what comes into an open panel is read in the same moment.
    if (reading.unread.value + 1) queueMicrotask(tellUnread)
  })
  const clear = () => {
    link.disconnect()
    live.clear()
  }
  doors.over.addEventListener('abort', clear)

  return {
    ...bot,
    ...live,
    ...reading,
    ...outbox,
    messages,
    connection: link.connection,
    history,
    async loadOlder() {
      const mine = scope
      const before = messages.peek()[0]?.seq
      const failed = history.peek() === 'failed'
      if (!mine || (!failed && history.peek() !== 'more')) return
      history.value = 'loading'
      if (catching === mine) return patience.wake()
      const older = await wire.listMessages(mine, ({ ended }) => !ended, before)
      if (mine.over.aborted) return
      if (!older) return failHistory()
      // The list may have been replaced meanwhile.
      if (older.length && messages.peek()[0]?.seq === before) messages.value = joinPage(messages.peek(), older)
      settleHistory()
      // What is older is no longer kept by the platform.
      if (!older.length) history.value = 'complete'
    },
    send: outbox.add,
    markRead() {
      const seq = lastSeq()
      if (!scope || seq <= reading.readSeq.peek()) return
      reading.advance(seq)
      void wire.markRead(scope, undefined, { seq })
    },
    begin(next) {
      clear()
      scope = next
      entered = undefined
      // Another conversation counts from 1 again.
      announced = 0
      messages.value = []
      history.value = 'loading'
      reading.begin(null)
      outbox.begin(next)
    },
    enter(mine, state, { transcript, outbox: entries }) {
      reading.begin(state)
      if (state && (transcript.at(-1)?.seq ?? 0) <= state.lastSeq) messages.value = transcript
      entered = mine
      outbox.enter(mine, entries)
      outbox.settle(messages.peek())
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
      patience.wake()
      void outbox.pump()
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
