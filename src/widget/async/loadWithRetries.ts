import type { Backoff } from '../api/backoff.ts'

/** Fetches a chunk until that succeeds. Resolves to `undefined` when `abortSignal` aborts. */
export async function loadWithRetries<Chunk>(
  load: () => Promise<Chunk>,
  backoff: Backoff,
  abortSignal: AbortSignal,
  onFailure: (failures: number) => void,
): Promise<Chunk | undefined> {
  for (let tries = 0; !abortSignal.aborted; tries++) {
    try {
      return await load()
    } catch {
      onFailure(tries + 1)
    }
    await backoff.wait(tries, abortSignal)
  }
  return undefined
}
