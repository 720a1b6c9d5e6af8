import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { Message, StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../environment/clock.ts'
import { setState, updateState } from '../updateState.ts'

/** A reply that is being streamed. */
export interface StreamingState {
  id: string
  text: string
  format?: Message['format'] | undefined
}

/** Who is typing. */
type TypingState = Extract<StreamEvent, { event: 'typing' }>['data']

/** A reply that has not grown for this long will never be finished. */
const replyTimeoutMs = 30_000
/** A reply that has not grown for this long pauses, for instance while the bot looks something up. */
const pauseAfterMs = 1500
/** The platform repeats that the bot is typing every 5 s; agents repeat it themselves. */
const typingTimeoutMs = { bot: 8000, agent: 6000 }

/** The reply that is being streamed, and who is typing. Both expire. */
export class StreamingReply {
  readonly #streaming: ExpiringSignal<StreamingState>
  readonly #isGrowing: ExpiringSignal<true>
  // An agent may begin to type while the bot is still answering, and types on when that answer has arrived.
  readonly #typing: Record<TypingState['author'], ExpiringSignal<TypingState>>

  /** The id of the bot's reply, also before its first piece; `undefined` if there is none. */
  readonly #currentId = computed(() => this.#typing.bot.signal.value?.id ?? this.#streaming.signal.value?.id)
  /** The id of the reply that the visitor has stopped; `undefined` when it has ended. The platform may still send some of it. */
  readonly #stoppedId = signal<string | undefined>(undefined)

  readonly streaming: ReadonlySignal<StreamingState | null>
  /** Who is typing. If bot and agent are, the agent. */
  readonly typing: ReadonlySignal<TypingState | null> = computed(
    () => this.#typing.agent.signal.value ?? this.#typing.bot.signal.value,
  )
  /** Whether the bot is writing or typing, and the visitor has not stopped it. */
  readonly isStoppable: ReadonlySignal<boolean> = computed(
    () => this.#currentId.value !== undefined && this.#currentId.value !== this.#stoppedId.value,
  )
  /** Whether more of a reply is expected, but nothing has come for a moment. */
  readonly isPaused: ReadonlySignal<boolean> = computed(
    () => this.streaming.value !== null && !this.#isGrowing.signal.value && this.isStoppable.value,
  )

  constructor(clock: Clock) {
    this.#streaming = new ExpiringSignal(clock, replyTimeoutMs)
    this.#isGrowing = new ExpiringSignal(clock, pauseAfterMs)
    this.#typing = {
      bot: new ExpiringSignal(clock, typingTimeoutMs.bot),
      agent: new ExpiringSignal(clock, typingTimeoutMs.agent),
    }
    this.streaming = this.#streaming.signal
  }

  /** Adds a piece of text. */
  append({ id, offset, text, format }: Extract<StreamEvent, { event: 'message.delta' }>['data']): void {
    const current = this.streaming.peek()
    const known = current?.id === id ? current.text : ''
    // Ignore a piece after a gap: the whole text arrives with the stored message. After a reconnect, known pieces repeat.
    if (offset > known.length || offset + text.length < known.length) return
    updateState(() => {
      this.#typing.bot.set(null)
      this.#isGrowing.set(true)
      // Later pieces need not repeat the format.
      this.#streaming.set({
        id,
        text: known.slice(0, offset) + text,
        format: format ?? (known ? current?.format : undefined),
      })
    })
  }

  /** Shows that the bot's reply has been stopped. Returns its id, or `undefined` if there is none. */
  stop(): string | undefined {
    const id = this.#currentId.peek()
    if (id !== undefined)
      updateState(() => {
        this.#typing.bot.set(null)
        this.#stoppedId.value = id
      })
    return id
  }

  /** Whether the visitor has stopped the reply with that id, and it has not ended yet. */
  isStopped(id: string): boolean {
    return this.#stoppedId.peek() === id
  }

  /** Shows that the reply with that id goes on: the platform refuses to stop it. */
  undoStop(id: string): void {
    if (this.isStopped(id)) setState(this.#stoppedId, undefined)
  }

  setTyping(typing: TypingState): void {
    if (typing.id === undefined || !this.isStopped(typing.id)) this.#typing[typing.author].set(typing)
  }

  /** Removes the reply with that id, because it has been stored, or the bot has cancelled it. */
  discard(id: string): void {
    updateState(() => {
      if (this.streaming.peek()?.id === id) this.#streaming.set(null)
      if (this.#typing.bot.signal.peek()?.id === id) this.#typing.bot.set(null)
      this.undoStop(id)
    })
  }

  /** Removes what a new message ends: any reply, because replies never overlap, and the typing of its author and the bot. */
  endWith(author: Message['author']): void {
    if (author === 'visitor') return
    updateState(() => {
      this.#streaming.set(null)
      this.#typing.bot.set(null)
      // The bot's answer doesn't end an agent's typing, but an agent's message silences the bot.
      if (author === 'agent') this.#typing.agent.set(null)
    })
  }

  clear(): void {
    updateState(() => {
      this.#streaming.set(null)
      this.#stoppedId.value = undefined
      for (const typing of Object.values(this.#typing)) typing.set(null)
    })
  }
}

/** A signal that becomes `null` some time after it was set. */
class ExpiringSignal<Value> {
  readonly signal: Signal<Value | null> = signal<Value | null>(null)
  readonly #clock: Clock
  readonly #expiresMs: number
  #cancelTimer = () => {}

  constructor(clock: Clock, expiresMs: number) {
    this.#clock = clock
    this.#expiresMs = expiresMs
  }

  set(value: Value | null): void {
    this.#cancelTimer()
    setState(this.signal, value)
    if (value) this.#cancelTimer = this.#clock.setTimeout(() => this.set(null), this.#expiresMs)
  }
}
