import type { Clock } from '../clock.ts'
import { type CallContext, defaultMs, longMs, monotonicMs, runInContext } from './callContext.ts'
import { type Store, StoreBusyError, type StoreOutcome, StoreUnavailableError } from './store.ts'

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
  upsertContacts: longMs,
  // It ends all anonymous sessions of a bot.
  setVisitors: longMs,
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
    const limitMs = Math.min(deadline - now, timeLimits[name as keyof Store] ?? defaultMs)
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
