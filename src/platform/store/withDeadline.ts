import type { Clock } from '../clock.ts'
import { timeLimitOf } from './deadline.ts'
import { type Store, type StoreOutcome, StoreUnavailableError } from './store.ts'

export interface DeadlineOptions {
  clock: Pick<Clock, 'elapsed' | 'setTimeout'>
  /** Called for every call with its outcome and duration. */
  onSettled: (method: string, outcome: StoreOutcome, ms: number) => void
}

type Method = (...args: unknown[]) => unknown

/** Wraps a store so that each call settles in time: a call that hangs must not make requests hang. */
export function withDeadline(store: Store, { clock, onSettled }: DeadlineOptions): Store {
  const watches = new Map<number, Watch>()
  const watchOf = (ms: number): Watch => {
    const watch = watches.get(ms) ?? createWatch(clock, ms)
    watches.set(ms, watch)
    return watch
  }
  // Look methods up at each call: tests replace the methods of a store in use.
  const methods = store as unknown as Record<string, Method>
  const guarded = Object.keys(store).map((name): [string, Method] => {
    if (name === 'close' || name === 'queueDepth') return [name, (...args) => methods[name]?.(...args)]
    const watch = watchOf(timeLimitOf(name as keyof Store))
    return [
      name,
      (...args) => {
        const start = clock.elapsed()
        return new Promise((resolve, reject) => {
          const rejectCall = (error: unknown): void => {
            onSettled(name, outcomeOf(error), clock.elapsed() - start)
            reject(error)
          }
          const stop = watch(() => rejectCall(new StoreUnavailableError(`${name} was not answered in time.`)))
          const call = methods[name]?.(...args) as Promise<unknown>
          call.then(
            value => {
              if (!stop()) return
              onSettled(name, 'ok', clock.elapsed() - start)
              resolve(value)
            },
            error => void (stop() && rejectCall(error)),
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
  return name === 'StoreBusyError' || name === 'OrganizationMovingError' ? 'busy' : 'failed'
}

/** Starts a timer; the returned function cancels it and returns false if it has already fired. */
type Watch = (expire: () => void) => () => boolean

/** One timer for all calls: most of them finish in microseconds. */
function createWatch(clock: Pick<Clock, 'elapsed' | 'setTimeout'>, ms: number): Watch {
  if (ms === Number.POSITIVE_INFINITY) return () => () => true
  // All have the same deadline, so the first in is the first due.
  const pending = new Set<{ due: number; expire: () => void }>()
  let armed = false
  const arm = (delayMs: number): void => {
    armed = true
    clock.setTimeout(check, delayMs)
  }
  const check = (): void => {
    armed = false
    const now = clock.elapsed()
    for (const call of pending) {
      if (call.due > now) {
        arm(call.due - now)
        return
      }
      pending.delete(call)
      call.expire()
    }
  }
  return expire => {
    const call = { due: clock.elapsed() + ms, expire }
    pending.add(call)
    if (!armed) arm(ms)
    return () => pending.delete(call)
  }
}
