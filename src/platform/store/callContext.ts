import { AsyncLocalStorage } from 'node:async_hooks'
import { numbersTimeLimitMs } from '../../contract/deskLimits.ts'
import { defaultTimeLimitMs, upsertTimeLimitMs } from '../../contract/limits.ts'
import type { Clock } from '../clock.ts'
import { type Store, StoreBusyError, type StoreOutcome, StoreUnavailableError } from './store.ts'

/**
 * The time, on `monotonicMs`, at which the caller of a store gets an answer at the latest. Nothing may start after it: the
 * caller has received an error and may have written something newer.
 */
export type Deadline = number

/**
 * Monotonic milliseconds, equal in all threads of a process. Unlike timers, this clock continues while the process is
 * stopped (SIGSTOP).
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Milliseconds until a deadline; negative after it. */
export const msUntil = (deadline: Deadline): number => deadline - monotonicMs()

/** Throws `StoreUnavailableError` after the deadline. */
export function requireBefore(deadline: Deadline): void {
  if (msUntil(deadline) < 0) throw new StoreUnavailableError('The deadline of the call has passed.')
}

/**
 * The owner of calls that no organization and no known address causes: those of commands, and of requests whose address is
 * unknown. They share one place in the rotation.
 */
export const unknownOwner = ''

/** Who causes calls of the store, and until when they may take effect. */
export interface CallContext {
  /**
   * Whose share of the store the calls use: an organization's, or the client address's until the organization is known.
   * `null` for the platform's own work, which has reserved capacity.
   */
  owner: string | null
  deadline: Deadline
}

// A request has one context; each of its store calls has its own, made from it (`withDeadline`). Both are ambient: as
// arguments they would appear in every method of the store and in all code between a request and its calls.
const contexts = new AsyncLocalStorage<CallContext>()

/** Runs the code that answers a request, or a method of a store; `currentContext` returns its context there. */
export const runInContext = <Result>(context: CallContext, run: () => Result): Result => contexts.run(context, run)

/** `undefined` in commands and in the platform's own work that no request started. */
export const currentContext = (): CallContext | undefined => contexts.getStore()

/**
 * The context of the running call. A call without one, as in a command, has an unknown owner and the time of an upsert, since
 * no client waits for it. A call with an infinite deadline, such as a purge, consists of many transactions: each of them has
 * that time.
 */
export function currentCall(): CallContext {
  const { owner, deadline } = currentContext() ?? { owner: unknownOwner, deadline: Number.POSITIVE_INFINITY }
  return { owner, deadline: Number.isFinite(deadline) ? deadline : monotonicMs() + upsertTimeLimitMs }
}

export interface DeadlineOptions {
  clock: Pick<Clock, 'elapsed' | 'setTimeout'>
  /** Called for every call with its outcome and duration. */
  onSettled: (method: string, outcome: StoreOutcome, ms: number) => void
  /**
   * Returns the context of the request that causes a call. The call has its owner, and ends by its deadline, too. Default:
   * none. Then calls are the platform's own, and each has only the time limit of its method.
   */
  contextOfRequest?: () => CallContext | undefined
}

type Method = (...args: unknown[]) => unknown

/** The time limits of methods that may take longer than others. They also limit calls of a request whose deadline is later. */
const timeLimits: { [Name in keyof Store]?: number } = {
  upsertContacts: upsertTimeLimitMs,
  computeNumbers: numbersTimeLimitMs,
  // It ends all anonymous sessions of a bot.
  setVisitors: upsertTimeLimitMs,
  // It runs until nothing is left to delete.
  purge: Number.POSITIVE_INFINITY,
}

/** Wraps a store so that each call settles by its deadline: a call that hangs must not make requests hang. */
export function withDeadline(store: Store, { clock, onSettled, contextOfRequest }: DeadlineOptions): Store {
  // Look methods up at each call: tests replace the methods of a store in use.
  const methods = store as unknown as Record<string, Method>

  async function call(name: string, args: unknown[]): Promise<unknown> {
    const start = clock.elapsed()
    const { owner, deadline } = contextOfRequest?.() ?? { owner: null, deadline: Number.POSITIVE_INFINITY }
    const now = monotonicMs()
    const limitMs = Math.min(deadline - now, timeLimits[name as keyof Store] ?? defaultTimeLimitMs)
    let cancelTimer = (): void => {}
    let outcome: StoreOutcome = 'ok'
    try {
      if (limitMs <= 0) throw new StoreUnavailableError(`No time was left for ${name}.`)
      return await new Promise((resolve, reject) => {
        const expire = () => reject(new StoreUnavailableError(`${name} was not answered in time.`))
        if (Number.isFinite(limitMs)) cancelTimer = clock.setTimeout(expire, Math.ceil(limitMs))
        const context = { owner, deadline: now + limitMs }
        runInContext(context, async () => (methods[name] as Method)(...args)).then(resolve, reject)
      })
    } catch (error) {
      outcome = outcomeOf(error)
      throw error
    } finally {
      cancelTimer()
      onSettled(name, outcome, clock.elapsed() - start)
    }
  }

  const guarded = Object.keys(store).map((name): [string, Method] => [
    name,
    name === 'close' || name === 'queueDepth' ? (...args) => methods[name]?.(...args) : (...args) => call(name, args),
  ])
  return Object.fromEntries(guarded) as unknown as Store
}

function outcomeOf(error: unknown): StoreOutcome {
  if (error instanceof StoreUnavailableError) return 'unavailable'
  return error instanceof StoreBusyError ? 'busy' : 'failed'
}
