import { batch, computed, createModel, effect, type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotFace, ConversationState, EndReason, Message, StreamEvent } from '../../contract/index.ts'
import type { Page } from '../page.ts'
import type { Cache } from '../storage/cache.ts'
import type { Stored } from '../storage/decode.ts'
import type { Failure } from '../transport/http.ts'
import type { Patience } from '../transport/patience.ts'
import type { Wire } from '../transport/wire.ts'
import type { Bot } from './bot.ts'
import type { Live, PartialReply } from './live.ts'
import type { Outbox, PendingMessage } from './outbox.ts'
import { createReading } from './reading.ts'
import type { Scope } from './session.ts'

export type { PartialReply, PendingMessage }

/** `idle` before anything is needed; `offline` when the browser says so. */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline'

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
  /** Puts a text of 1–4000 code points into the outbox; returns at once. */
  send(text: string): void
  retry(id: string): void
  remove(id: string): void
  /** All that is shown has been seen. */
  markRead(): void
}

export interface ConversationDoors {
  wire: Wire
  page: Page
  patience: Patience
  cache: Cache
  bot: Bot
  live: Live
  outbox: Outbox
  onEnded(scope: Scope, reason: EndReason): void
  onMessage(message: Message): void
  onUnread(count: number): void
  onHistoryFailed(): void
}

/** Messages that are kept in the browser. */
const keptMessages = 100

const Model = createModel((doors: ConversationDoors) => {
  const { wire, page, patience, cache, bot, live, outbox } = doors
  const messages = signal<readonly Message[]>([])
  const history = signal<'loading' | 'more' | 'failed' | 'complete'>('loading')
  const link = signal<Exclude<Connection, 'offline'>>('idle')
  const online = signal(page.online())
  const reading = createReading({ ...doors, messages })
  let scope: Scope | undefined
  let entered: Scope | undefined
  let catching: Scope | undefined
  let catchAgain = false
  /** Messages up to here have been told to the page, or were there before; `null`: not known yet. */
  let announced: number | null = null
  let disconnect = () => {}

  const lastSeq = () => messages.peek().at(-1)?.seq ?? 0
  const settledHistory = () => ((messages.peek()[0]?.seq ?? 1) === 1 ? 'complete' : 'more')

  /** Shows stored messages, each in the place of the own one that it was. */
  function show(next: readonly Message[]) {
    batch(() => {
      messages.value = next
      outbox.settle(next.map(({ id }) => id))
      for (const { id } of next) live.drop(id)
    })
    const fresh = next.filter(({ seq }) => announced !== null && seq > announced)
    if (fresh.some(({ author }) => author !== 'visitor')) live.quiet()
    announced = lastSeq()
    for (const message of fresh) doors.onMessage(message)
  }

  function receive(mine: Scope, message: Message) {
    if (mine.over.aborted) return
    if (message.seq === lastSeq() + 1 && catching !== mine) show([...messages.peek(), message])
    else if (message.seq > lastSeq()) void catchUp(mine)
    else outbox.settle([message.id])
  }

  /** Fetches the newest page until it is there; what is asked for meanwhile is one more round. */
  async function catchUp(mine: Scope): Promise<void> {
    if (catching === mine) {
      catchAgain = true
      return
    }
    catching = mine
    for (let tries = 0; mine.token && !mine.over.aborted; ) {
      catchAgain = false
      const answer = await wire.listMessages(mine.token, mine.over)
      if (mine.over.aborted) return
      if (answer.ok) {
        show(joinPage(messages.peek(), answer.data))
        if (catchAgain) continue
        history.value = settledHistory()
        break
      }
      if (answer.ended) return doors.onEnded(mine, answer.ended)
      if (history.peek() === 'loading' && online.peek()) failHistory()
      await patience.wait(tries++, mine.over, answer.retryAfterMs)
    }
    if (catching === mine) catching = undefined
  }

  function failHistory() {
    history.value = 'failed'
    doors.onHistoryFailed()
  }

  async function start(mine: Scope, state: ConversationState | null) {
    if (state?.lastSeq === lastSeq()) history.value = settledHistory()
    else await catchUp(mine)
    connect(mine)
  }

  function connect(mine: Scope) {
    disconnect()
    if (!mine.token || mine.over.aborted || !online.peek()) return
    const own = new AbortController()
    const cut = () => own.abort()
    mine.over.addEventListener('abort', cut)
    disconnect = () => {
      cut()
      mine.over.removeEventListener('abort', cut)
      link.value = 'idle'
      disconnect = () => {}
    }
    void wire.streamEvents(mine.token, own.signal, {
      after: lastSeq,
      onEvent: event => onEvent(mine, event),
      onConnection(state) {
        link.value = state
        if (state === 'live') patience.wake()
      },
      onRefused(failure: Failure) {
        disconnect()
        if (failure.ended) doors.onEnded(mine, failure.ended)
      },
    })
  }

  function onEvent(mine: Scope, { event, data }: StreamEvent): void {
    switch (event) {
      case 'message':
        receive(mine, data)
        break
      case 'message.delta':
        live.delta(data)
        break
      case 'message.aborted':
        live.drop(data.id)
        break
      case 'typing':
        live.typingBy(data.author)
        break
      case 'read':
        reading.advance(data.seq)
        break
      case 'reset':
        void catchUp(mine)
        break
      case 'session.ended':
        doors.onEnded(mine, data.reason)
        break
      default:
        event satisfies never
    }
  }

  let toldUnread = 0
  const effects = [
    effect(() => {
      const kept = messages.value.slice(-keptMessages)
      if (entered) void cache.put(entered.epoch, 'transcript', kept)
    }),
    effect(() => {
      const count = reading.unread.value
      if (count === toldUnread) return
      toldUnread = count
      doors.onUnread(count)
    }),
  ]

  return {
    bot: bot.bot,
    botStatus: bot.botStatus,
    messages,
    pending: outbox.pending,
    partial: live.partial,
    typing: live.typing,
    connection: computed<Connection>(() => (online.value ? link.value : 'offline')),
    history,
    readSeq: reading.readSeq,
    unread: reading.unread,
    async loadOlder() {
      const mine = scope
      const before = messages.peek()[0]?.seq
      if (history.peek() === 'failed' && catching === mine) {
        history.value = 'loading'
        return patience.wake()
      }
      if (!mine?.token || !before || !['more', 'failed'].includes(history.peek())) return
      history.value = 'loading'
      const answer = await wire.listMessages(mine.token, mine.over, before)
      if (mine.over.aborted) return
      if (!answer.ok) return answer.ended ? doors.onEnded(mine, answer.ended) : failHistory()
      // The list may have been replaced meanwhile.
      if (messages.peek()[0]?.seq === before && answer.data.at(-1)?.seq === before - 1) {
        messages.value = [...answer.data, ...messages.peek()]
      }
      history.value = settledHistory()
    },
    retryBot: bot.load,
    send: outbox.add,
    retry: outbox.retry,
    remove: outbox.remove,
    markRead: reading.markRead,
    receive,
    /** Another identity from now on: everything that is shown goes. */
    begin(next: Scope) {
      disconnect()
      scope = next
      entered = undefined
      announced = null
      messages.value = []
      history.value = 'loading'
      reading.begin(next, null)
      live.clear()
      outbox.begin(next)
    },
    enter(mine: Scope, state: ConversationState | null, stored: Stored) {
      reading.begin(mine, state)
      announced = state ? state.lastSeq : 0
      const kept = stored.transcript
      if (state && kept.length && (kept.at(-1)?.seq ?? 0) <= state.lastSeq) messages.value = kept
      entered = mine
      outbox.enter(mine, stored.outbox)
      outbox.settle(messages.peek().map(({ id }) => id))
      if (state) void start(mine, state)
      else history.value = 'complete'
    },
    /** The anonymous conversation has begun, here or in another tab. */
    join(mine: Scope, state: ConversationState | null) {
      reading.begin(mine, state)
      announced = state?.lastSeq ?? null
      void start(mine, state)
    },
    setOnline(next: boolean) {
      online.value = next
      if (!next) return disconnect()
      patience.wake()
      outbox.pump()
      if (scope && entered === scope && catching !== scope) connect(scope)
    },
    /** Nothing happens any more. */
    stop() {
      for (const dispose of effects) dispose()
      disconnect()
      live.clear()
    },
  }
})

/** The newest page put to what is there; what doesn't join it without a gap goes, to be loaded again when needed. */
function joinPage(held: readonly Message[], page: readonly Message[]): readonly Message[] {
  const first = page[0]?.seq ?? 1
  const last = page.at(-1)?.seq ?? 0
  const older = held.filter(({ seq }) => seq < first)
  // The stream may have been faster than the page.
  const newer = held.filter(({ seq }) => seq > last)
  return [...(older.at(-1)?.seq === first - 1 ? older : []), ...page, ...(newer[0]?.seq === last + 1 ? newer : [])]
}

/** What the rest of the core does with the conversation. */
export type ConversationCore = InstanceType<typeof Model>

export const createConversation = (doors: ConversationDoors): ConversationCore => new Model(doors)
