import type { Clock } from '../clock.ts'
import { defaultMs, longMs, monotonicMs } from './deadline.ts'
import { runCall } from './requestContext.ts'
import { type RequestContext, type Store, StoreBusyError, type StoreOutcome, StoreUnavailableError } from './store.ts'

export interface DeadlineOptions {
  clock: Pick<Clock, 'elapsed' | 'setTimeout'>
  /** Called for every call with its outcome and duration. */
  onSettled: (method: string, outcome: StoreOutcome, ms: number) => void
  /**
   * Returns the request that causes a call. The call has the owner of that request, and ends by its deadline, too. Default:
   * none. Then calls are the platform's own, and each has only the time limit of its method.
   */
  currentRequest?: () => RequestContext | undefined
}

type Method = (...args: unknown[]) => unknown

/** The time limits of methods that may take longer than others. They also limit calls of a request whose deadline is later. */
const timeLimits = new Map<string, number>(
  Object.entries({
    upsertContacts: longMs,
    // It ends all anonymous sessions of a bot.
    setVisitors: longMs,
    // It runs until nothing is left to delete.
    purge: Number.POSITIVE_INFINITY,
  } satisfies { [Name in keyof Store]?: number }),
)

/** Wraps a store so that each call settles by its deadline: a call that hangs must not make requests hang. */
export function withDeadline(store: Store, { clock, onSettled, currentRequest }: DeadlineOptions): Store {
  // Look methods up at each call: tests replace the methods of a store in use.
  const methods = store as unknown as Record<string, Method>

  async function call(name: string, args: unknown[]): Promise<unknown> {
    const start = clock.elapsed()
    const request = currentRequest?.()
    const ofMethod = timeLimits.get(name) ?? defaultMs
    const limitMs = Math.min(request?.remainingMs() ?? ofMethod, ofMethod)
    const context = { owner: request?.owner ?? null, deadline: monotonicMs() + limitMs }
    let cancelTimer = (): void => {}
    let outcome: StoreOutcome = 'ok'
    try {
      if (limitMs <= 0) throw new StoreUnavailableError(`No time was left for ${name}.`)
      return await new Promise((resolve, reject) => {
        const expire = () => reject(new StoreUnavailableError(`${name} was not answered in time.`))
        if (Number.isFinite(limitMs)) cancelTimer = clock.setTimeout(expire, Math.ceil(limitMs))
        runCall(context, async () => methods[name]?.(...args)).then(resolve, reject)
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
