import type { Clock } from '../environment/clock.ts'

/** Settles like `promise`, unless that takes longer than `ms`: then it rejects with what `createError` returns. */
export async function withTimeout<Value>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
  createError: () => Error = () => new Error('Timed out'),
): Promise<Value> {
  let cancelTimer = () => {}
  const timeout = new Promise<never>((_, reject) => {
    cancelTimer = clock.setTimeout(() => reject(createError()), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    cancelTimer()
  }
}
