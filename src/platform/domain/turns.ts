import type { MessageWithContext, ResponderSettings } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { Responder } from '../responders/responder.ts'
import type { Bot, LeasedTurn, OrganizationStore, TurnStore } from '../store/store.ts'
import { botTextsOf } from '../texts/botTexts.ts'
import { announce } from './announce.ts'
import { createId } from './ids.ts'
import { singleFlight } from './singleFlight.ts'
import { type Reply, type StopReason, streamAnswer } from './streamAnswer.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'
import { limitMessage, type TurnLimits } from './turnLimits.ts'

/** Answers visitors. A turn is stored together with its message, and answered under a lease. */
export type Turns = ReturnType<typeof createTurns>

/** The outcome of a turn, for the operator. Only `failed` has an `error`. */
export interface TurnOutcome {
  outcome: 'answered' | 'silent' | 'failed' | 'limited' | 'taken_over' | 'handed_over' | 'stopped'
  responder: ResponderSettings['kind']
  botId: string
  conversationId: string
  error?: unknown
}

/** Why sources that a responder named are not shown, for the operator. */
export interface DroppedSources extends Omit<TurnOutcome, 'outcome' | 'error'> {
  reasons: string[]
}

export interface TurnsOptions {
  store: TurnStore & OrganizationStore
  bus: Bus
  clock: Clock
  responder: Responder
  /** The limits of bots that have none of their own; `null` turns off all limits. */
  limits: TurnLimits | null
  /** Time after which a handover ends if no agent has written. */
  handoverTimeoutMs: number
  onOutcome: (outcome: TurnOutcome) => void
  /** Called when sources of an answer are dropped. */
  onDroppedSources: (dropped: DroppedSources) => void
  onError: (error: unknown) => void
}

// Leases are short: after a crash, the visitor waits until the lease expires.
const leaseMs = 8_000
const renewMs = 2_500
/** The time limit of a reply. After it the visitor gets an apology. */
const answerWithinMs = 60_000
/** The most text of the history that a responder gets. More would cost the operator money, and the process memory. */
const maxShownLength = 100_000
/** A turn that crashes the process must not be retried forever. */
const maxAttempts = 3
/** High, so that turns of a responder that hangs do not block others. */
const maxConcurrentTurns = 1024
/** The others wait, so that a responder that hangs does not take all the room. */
const maxTurnsPerBot = 64
const leaseBatchSize = 16

export function createTurns(options: TurnsOptions) {
  const { store, bus, clock, responder, limits, handoverTimeoutMs } = options
  const { onOutcome, onDroppedSources, onError } = options
  /** The turns in progress, by conversation. */
  const running = new Map<string, RunningTurn>()
  let leasingStopped = false
  let closed = false

  /** By this node's clock. Nodes compare these times: `maintenance.ts` warns long before their clocks differ too much. */
  const leaseUntil = (): string => timestamp(clock.now() + leaseMs)

  /** Renews all leases of this node together: one by one, a thousand turns would cost the store 400 writes a second. */
  const renewLeases = async (): Promise<void> => {
    stopRenewing = clock.setTimeout(renewLeases, renewMs)
    const turns = [...running.entries()]
    if (turns.length === 0) return
    const held = turns.map(([conversationId, { owner }]): [string, string] => [conversationId, owner])
    // If the store does not answer, the leases may still be ours: continue.
    const states = (await store.renewTurns(held, leaseUntil()).catch(onError)) ?? []
    for (const [index, state] of states.entries()) if (state !== 'held') turns[index]?.[1].stop(state)
  }
  /** `undefined` before the first lease. */
  let stopRenewing: (() => void) | undefined

  /** Generates the reply to a turn, without storing anything. */
  const generateReply = async (turn: LeasedTurn, bot: Bot, signal: AbortSignal): Promise<GeneratedReply> => {
    const refusal = limits ? limitMessage(turn, bot.limits, limits) : null
    if (refusal !== null) return { outcome: 'limited', reply: systemReply(bot, refusal) }
    try {
      if (turn.attempt > maxAttempts) throw new Error(`The turn failed ${maxAttempts} times`)
      const { botId, conversationId } = turn
      const reportDropped = (reasons: string[]): void =>
        onDroppedSources({ responder: bot.responder.kind, botId, conversationId, reasons })
      const deps = { bus, clock, responder, onDroppedSources: reportDropped }
      const answer = await streamAnswer(deps, { turn, bot }, signal)
      return { outcome: answer.reply ? 'answered' : 'silent', ...answer }
    } catch (error) {
      return { outcome: 'failed', reply: systemReply(bot, 'apology'), error }
    }
  }

  /** Stores the reply and ends the turn. Resolves to `false` if the lease was lost. */
  const commitReply = async (
    { botId, conversationId }: LeasedTurn,
    owner: string,
    { outcome, reply, handOver }: GeneratedReply,
    abortPartialReply: () => void,
  ): Promise<boolean> => {
    const at = timestamp(clock.now())
    const stored = await store.endTurn(conversationId, owner, {
      reply: reply ? { ...reply, createdAt: at } : undefined,
      refused: outcome === 'limited',
      handover: handOver ? { at, timeoutMs: handoverTimeoutMs } : undefined,
    })
    if (stored === 'lost') return false
    // A visitor's message may have the id that the deltas have shown; the stored reply then has another one.
    if (stored !== 'no_reply' && stored.id !== reply?.id) abortPartialReply()
    if (reply || handOver) announce(bus, { botId, conversationId }, { type: 'stored' })
    return true
  }

  const systemReply = (bot: Bot, key: 'apology' | 'tooMany' | 'noMoreToday'): Reply => {
    const texts = botTextsOf(bot)
    return {
      id: createId(clock.now()),
      author: 'system',
      text: texts[key],
      format: 'plain',
      quickReplies: [texts.retry],
    }
  }

  const run = async (turn: LeasedTurn, owner: string, abort: AbortController): Promise<void> => {
    const { conversationId, botId, replyId, formerReplyId } = turn
    const subject = conversationSubject(conversationId)
    const stop = (reason: StopReason): void => abort.abort(reason)
    const isStopped = (...reasons: StopReason[]): boolean => reasons.includes(abort.signal.reason)
    const publishAborted = (id: string): void =>
      bus.publish(subject, { type: 'forward', streamEvent: { event: 'message.aborted', data: { id } } })
    let isReplyAborted = false
    const abortPartialReply = (): void => {
      if (!isReplyAborted) publishAborted(replyId)
      isReplyAborted = true
    }
    // Widgets may still show what a node wrote that is gone.
    if (formerReplyId !== null) publishAborted(formerReplyId)
    const undo = [
      clock.setTimeout(() => stop('too_slow'), answerWithinMs),
      bus.subscribe(subject, event => {
        // The transaction that erased has also ended the lease. A turn that has something left begins again.
        if (event.type === 'erased') stop('lost')
        if (event.type === 'stopped' && event.replyId === replyId) stop('stopped')
        if (event.type !== 'taken_over' && event.type !== 'handed_over') return
        stop(event.type)
        // Publish this now, so that it arrives before the message that follows.
        abortPartialReply()
      }),
    ]
    try {
      const found = await store.findBot(botId)
      const bot = found && inLanguageOf(turn, found)
      const kind = bot?.responder.kind ?? 'none'
      if (!bot || kind === 'none' || turn.isStopped) {
        await store.endTurn(conversationId, owner)
        return
      }
      const generated = await generateReply(turn, bot, abort.signal)
      const { outcome, error } = generated
      if (outcome === 'failed' || outcome === 'silent') abortPartialReply()
      // Somebody else answers, or nobody: this is not a failure of the responder.
      const isTaken = outcome === 'failed' && isStopped('taken_over', 'handed_over', 'lost', 'closed')
      const turnInfo = { responder: kind, botId, conversationId }
      const committed = !isTaken && (await commitReply(turn, owner, generated, abortPartialReply).catch(toFailure))
      if (committed instanceof Error) {
        abortPartialReply()
        onOutcome({ outcome: 'failed', ...turnInfo, error: committed })
      } else if (committed) {
        if (outcome === 'failed') onOutcome({ outcome, ...turnInfo, error })
        else onOutcome({ outcome: isStopped('stopped') ? 'stopped' : outcome, ...turnInfo })
      } else {
        abortPartialReply()
        if (isStopped('taken_over', 'handed_over')) onOutcome({ outcome: abort.signal.reason, ...turnInfo })
      }
    } finally {
      for (const end of undo) end()
    }
  }

  const start = ({ messages, ...turn }: LeasedTurn, owner: string): void => {
    const { conversationId } = turn
    // This process held the turn and lost its lease; the store accepts nothing from the old run.
    const before = running.get(conversationId)
    before?.stop('lost')
    const abort = new AbortController()
    const runPromise = Promise.resolve(before?.done).then(() =>
      run({ ...turn, messages: recentMessages(messages) }, owner, abort),
    )
    const done = runPromise.catch(onError).finally(() => {
      if (running.get(conversationId)?.owner === owner) running.delete(conversationId)
      // Messages that arrived meanwhile form the next turn.
      if (!closed) processDue().catch(onError)
    })
    stopRenewing ??= clock.setTimeout(renewLeases, renewMs)
    running.set(conversationId, { botId: turn.botId, owner, stop: reason => abort.abort(reason), done })
  }

  const processDue = singleFlight(async () => {
    for (;;) {
      const bots = Array.from(
        Map.groupBy(running.values(), ({ botId }) => botId),
        ([id, { length }]) => ({ id, length }),
      )
      const fullBots = bots.filter(({ length }) => length >= maxTurnsPerBot).map(({ id }) => id)
      // All turns that are leased now may be of the bot that has the least room left.
      const most = Math.max(0, ...bots.map(({ length }) => length).filter(length => length < maxTurnsPerBot))
      const room = Math.min(maxConcurrentTurns - running.size, leaseBatchSize, maxTurnsPerBot - most)
      if (leasingStopped || closed || room <= 0) return
      // A new owner id each time: a run that has lost its lease must not count as owner if this process leases the turn
      // again.
      const owner = createId(clock.now())
      const turns = await store.leaseTurns(owner, timestamp(clock.now()), leaseUntil(), room, fullBots)
      for (const turn of turns) start(turn, owner)
      // Until none is left: of fewer than there is room for, another node may have had some locked.
      if (turns.length === 0) return
    }
  })

  return {
    /** Leases due turns and starts answering them. */
    processDue,
    /** Leases no more turns, so that other nodes take them. Turns in progress continue. */
    stopLeasing(): void {
      leasingStopped = true
    },
    /** Aborts turns in progress and gives up their leases, so that another process takes over at once. */
    async close(): Promise<void> {
      closed = true
      // Wait for a lease that is being taken, so that it is given up, too.
      await processDue().catch(onError)
      const left = [...running.entries()]
      for (const [, { stop }] of left) stop('closed')
      await Promise.all(
        left.map(async ([conversationId, { owner, done }]) => {
          await done
          await store.giveBackTurn(conversationId, owner).catch(onError)
        }),
      )
      stopRenewing?.()
    },
  }
}

/** The bot with the language of a conversation: its own, or that of the visitor's widget. */
const inLanguageOf = ({ locale }: LeasedTurn, bot: Bot): Bot => ({ ...bot, locale: bot.locale || (locale ?? '') })

/** The latest messages whose total length is within the limit; at least one. */
function recentMessages(messages: MessageWithContext[]): MessageWithContext[] {
  let left = maxShownLength
  const first = messages.findLastIndex(({ text }, index) => {
    left -= text.length
    return left < 0 && index < messages.length - 1
  })
  return messages.slice(first + 1)
}

const toFailure = (cause: unknown): Error => new Error('The reply could not be stored', { cause })

interface RunningTurn {
  botId: string
  /** The owner of the lease. */
  owner: string
  stop: (reason: StopReason) => void
  done: Promise<void>
}

interface GeneratedReply {
  outcome: 'answered' | 'silent' | 'failed' | 'limited'
  reply: Reply | null
  handOver?: boolean
  error?: unknown
}
