import type { ResponderSettings } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { Responder } from '../responders/responder.ts'
import type { Bot, LeasedTurn, OrganizationStore, TurnStore } from '../store/store.ts'
import { createId } from './ids.ts'
import { singleFlight } from './singleFlight.ts'
import { type Reply, recentMessages, retryWord, streamAnswer } from './streamAnswer.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'
import { limitMessage } from './turnLimits.ts'

/** Answers visitors: a turn stands in the store from the moment its message does, and is answered under a lease. */
export interface Turns {
  /** Looks for turns that are due and starts to answer them. */
  processDue(): Promise<void>
  /** Starts no more, and goes on with what is being answered: other nodes take up the rest. */
  stopLeasing(): void
  /** Breaks off what is being answered and gives the leases back, so that another process takes over at once. */
  close(): Promise<void>
}

/** What became of a turn, for the operator; `error` comes with `failed` alone. */
export interface TurnOutcome {
  outcome: 'answered' | 'silent' | 'failed' | 'limited' | 'taken_over'
  responder: ResponderSettings['kind']
  botId: string
  conversationId: string
  error?: unknown
}

export interface TurnsOptions {
  store: TurnStore & OrganizationStore
  bus: Bus
  clock: Clock
  responder: Responder
  /** Whether turns over the limits of a minute and a day are refused. */
  limited: boolean
  onOutcome: (outcome: TurnOutcome) => void
  onError: (error: unknown) => void
}

/** What a visitor reads where the responder has failed. */
export const apology = 'Sorry, I could not answer that just now. Your message is safe: please try again.'

// Short, since after a crash the visitor waits for it to run out.
const leaseMs = 8_000
const renewMs = 2_500
/** Ours: an answer that takes longer is given up, with an apology. */
const answerWithinMs = 60_000
/** A question that takes the process down with it must not do so for ever. */
const maxAttempts = 3
/** Many, since those of a bot whose responder hangs must not keep the others waiting. */
const maxAtOnce = 1024
const leasedAtOnce = 16

export function createTurns(options: TurnsOptions): Turns {
  const { store, bus, clock, responder, limited, onOutcome, onError } = options
  const running = new Map<string, { owner: string; stop: () => void; done: Promise<void> }>()
  let leasingStopped = false
  let closed = false

  const leaseUntil = (): string => timestamp(clock.now() + leaseMs)

  /** Keeps the lease until its undo is called. */
  const keepLease = (conversationId: string, owner: string, onLost: () => void): (() => void) => {
    const renew = async (): Promise<void> => {
      undo = clock.setTimeout(renew, renewMs)
      // A store that does not answer says nothing about the lease: the end of the lease will.
      const held = await store.renewTurn(conversationId, owner, leaseUntil()).catch(onError)
      if (held === false) onLost()
    }
    let undo = clock.setTimeout(renew, renewMs)
    return () => undo()
  }

  /** What to say to a turn, and why; nothing is stored yet. */
  const generateReply = async (
    turn: LeasedTurn,
    bot: Bot,
    id: string,
    signal: AbortSignal,
  ): Promise<GeneratedReply> => {
    const refusal = limited ? limitMessage(turn, bot.turnsPerDay) : null
    if (refusal !== null) return { outcome: 'limited', reply: systemReply(refusal) }
    try {
      if (turn.attempt > maxAttempts) throw new Error(`A turn was given up after ${maxAttempts} attempts`)
      const reply = await streamAnswer({ bus, clock, responder }, { turn, bot, id }, signal)
      return { outcome: reply ? 'answered' : 'silent', reply }
    } catch (error) {
      return { outcome: 'failed', reply: systemReply(apology), error }
    }
  }

  /** Ends the turn with what is to be said, if it is still ours to end. */
  const commitReply = async (
    { conversationId }: LeasedTurn,
    owner: string,
    { outcome, reply }: GeneratedReply,
    abortPartialReply: () => void,
  ): Promise<boolean> => {
    if (!reply) return store.endTurn(conversationId, owner)
    const message = { ...reply, createdAt: timestamp(clock.now()) }
    const stored = await store.completeTurn(conversationId, owner, message, outcome === 'limited')
    // Visitors choose their messages' ids: one that is the reply's own, which the deltas have shown, makes it take another.
    if (stored && stored.id !== reply.id) abortPartialReply()
    if (stored) bus.publish(conversationSubject(conversationId), { type: 'stored' })
    return stored !== null
  }

  const systemReply = (text: string): Reply => ({
    id: createId(clock.now()),
    author: 'system',
    text,
    format: 'plain',
    quickReplies: [retryWord],
  })

  const run = async (turn: LeasedTurn, owner: string, abort: AbortController): Promise<void> => {
    const { conversationId, botId } = turn
    const subject = conversationSubject(conversationId)
    const id = createId(clock.now())
    let stopped: 'taken' | 'lost' | undefined
    const stop = (reason: 'taken' | 'lost'): void => {
      stopped ??= reason
      abort.abort()
    }
    let isReplyAborted = false
    const abortPartialReply = (): void => {
      if (!isReplyAborted)
        bus.publish(subject, { type: 'ephemeral', event: { event: 'message.aborted', data: { id } } })
      isReplyAborted = true
    }
    const undo = [
      keepLease(conversationId, owner, () => stop('lost')),
      clock.setTimeout(() => abort.abort(), answerWithinMs),
      bus.subscribe(subject, ({ type }) => {
        if (type === 'erased') stop('lost')
        if (type !== 'taken') return
        stop('taken')
        // Before the agent's message is shown, and so at once.
        abortPartialReply()
      }),
    ]
    try {
      const bot = await store.findBot(botId)
      const kind = bot?.responder.kind ?? 'none'
      if (!bot || kind === 'none') {
        await store.endTurn(conversationId, owner)
        return
      }
      const generated = await generateReply(turn, bot, id, abort.signal)
      const { outcome, error } = generated
      if (outcome === 'failed' || outcome === 'silent') abortPartialReply()
      // What was broken off is no failure of the responder.
      const wasAborted = outcome === 'failed' && (stopped !== undefined || closed)
      const turnInfo = { responder: kind, botId, conversationId }
      const committed = !wasAborted && (await commitReply(turn, owner, generated, abortPartialReply).catch(toFailure))
      if (committed instanceof Error) {
        abortPartialReply()
        onOutcome({ outcome: 'failed', ...turnInfo, error: committed })
      } else if (committed) {
        onOutcome({ outcome, ...turnInfo, ...(outcome === 'failed' && { error }) })
      } else {
        abortPartialReply()
        if (stopped === 'taken') onOutcome({ outcome: 'taken_over', ...turnInfo })
      }
    } finally {
      for (const end of undo) end()
    }
  }

  const start = ({ messages, ...turn }: LeasedTurn, owner: string): void => {
    const { conversationId } = turn
    // Its lease ran out under it, and came back to us with what has been written since: the store takes nothing of it now.
    const before = running.get(conversationId)
    before?.stop()
    const abort = new AbortController()
    const begun = Promise.resolve(before?.done).then(() =>
      run({ ...turn, messages: recentMessages(messages) }, owner, abort),
    )
    const done = begun.catch(onError).finally(() => {
      if (running.get(conversationId)?.owner === owner) running.delete(conversationId)
      // Messages that came meanwhile form the next turn.
      if (!closed) processDue().catch(onError)
    })
    running.set(conversationId, { owner, stop: () => abort.abort(), done })
  }

  const processDue = singleFlight(async () => {
    for (;;) {
      const room = Math.min(maxAtOnce - running.size, leasedAtOnce)
      if (leasingStopped || closed || room <= 0) return
      // Another each time: who has lost a lease must not pass for its owner when it comes back to this process.
      const owner = createId(clock.now())
      const turns = await store.leaseTurns(owner, timestamp(clock.now()), leaseUntil(), room)
      for (const turn of turns) start(turn, owner)
      if (turns.length < room) return
    }
  })

  return {
    processDue,
    stopLeasing() {
      leasingStopped = true
    },
    async close() {
      closed = true
      // What is being leased in this moment is given back as well.
      await processDue().catch(onError)
      const left = [...running.entries()]
      for (const [, { stop }] of left) stop()
      await Promise.all(
        left.map(async ([conversationId, { owner, done }]) => {
          await done
          await store.renewTurn(conversationId, owner, timestamp(clock.now())).catch(onError)
        }),
      )
    },
  }
}

const toFailure = (cause: unknown): Error => new Error('The reply could not be stored', { cause })

interface GeneratedReply {
  outcome: 'answered' | 'silent' | 'failed' | 'limited'
  reply: Reply | null
  error?: unknown
}
