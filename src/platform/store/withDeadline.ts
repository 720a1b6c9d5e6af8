import type { Clock } from '../clock.ts'
import { monotonicMs, timeLimitOf } from './deadline.ts'
import { runCall } from './requestContext.ts'
import { type RequestContext, type Store, type StoreOutcome, StoreUnavailableError } from './store.ts'

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

/** Wraps a store so that each call settles by its deadline: a call that hangs must not make requests hang. */
export function withDeadline(store: Store, { clock, onSettled, currentRequest }: DeadlineOptions): Store {
  // Look methods up at each call: tests replace the methods of a store in use.
  const methods = store as unknown as Record<string, Method>
  const guarded = Object.keys(store).map((name): [string, Method] => {
    if (name === 'close' || name === 'queueDepth') return [name, (...args) => methods[name]?.(...args)]
    return [
      name,
      (...args) => {
        const start = clock.elapsed()
        const request = currentRequest?.()
        const ofMethod = timeLimitOf(name as keyof Store)
        const limitMs = Math.min(request?.remainingMs() ?? ofMethod, ofMethod)
        const context = { owner: request?.owner ?? null, deadline: monotonicMs() + limitMs }
        return new Promise((resolve, reject) => {
          const rejectCall = (error: unknown): void => {
            onSettled(name, outcomeOf(error), clock.elapsed() - start)
            reject(error)
          }
          if (limitMs <= 0) return rejectCall(new StoreUnavailableError(`No time was left for ${name}.`))
          let isSettled = false
          const settle = (report: () => void): void => {
            if (isSettled) return
            isSettled = true
            cancelTimer()
            report()
          }
          const expire = () => settle(() => rejectCall(new StoreUnavailableError(`${name} was not answered in time.`)))
          const cancelTimer =
            limitMs === Number.POSITIVE_INFINITY ? () => {} : clock.setTimeout(expire, Math.ceil(limitMs))
          // An async function, so that a method that throws at once is handled like one that rejects.
          runCall(context, async () => methods[name]?.(...args)).then(
            value =>
              settle(() => {
                onSettled(name, 'ok', clock.elapsed() - start)
                resolve(value)
              }),
            error => settle(() => rejectCall(error)),
          )
        })
      },
    ]
  })
  return Object.fromEntries(guarded) as unknown as Store
}

function outcomeOf(error: unknown): StoreOutcome {
  const name = error instanceof Error ? error.name : ''
  if (name === 'StoreUnavailableError') return 'unavailable'
  return name === 'StoreBusyError' ? 'busy' : 'failed'
}
