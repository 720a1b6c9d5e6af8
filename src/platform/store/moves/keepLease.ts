import { monotonicMs } from '../deadline.ts'

export interface Lease {
  /** Throws if the lease may have ended: the organization may have taken writes since. */
  requireHeld(): void
  /** Renews it no longer. */
  stop(): void
}

export interface LeaseOptions {
  leaseMs: number
  /** When the lease was set, or a little earlier, by `elapsedMs`. */
  sinceMs: number
  /** Extends the lease by `leaseMs` from now on. Resolves to `false` if it has ended. */
  renew(): Promise<boolean>
  /** What `requireHeld` throws after the end. */
  createLapsedError(): Error
  /** For tests. Default: milliseconds from some fixed moment. */
  elapsedMs?: () => number
}

/** How often a lease is renewed before it would end. */
const renewals = 4

/** Renews a lease by a timer, so that no slow batch lets it lapse. */
export function keepLease({
  leaseMs,
  sinceMs,
  renew,
  createLapsedError,
  elapsedMs = monotonicMs,
}: LeaseOptions): Lease {
  let endsMs = sinceMs + leaseMs
  let failure: unknown
  let isRenewing = false

  async function renewNow(): Promise<void> {
    if (isRenewing) return
    isRenewing = true
    const askedMs = elapsedMs()
    try {
      // An answer after the former end is too late: a write that began in between does not see the renewal.
      if (!(await renew()) || elapsedMs() >= endsMs) failure ??= createLapsedError()
      endsMs = askedMs + leaseMs
    } catch (error) {
      failure ??= error
    } finally {
      isRenewing = false
    }
  }

  const timer = setInterval(() => void renewNow(), leaseMs / renewals)
  return {
    requireHeld() {
      if (failure !== undefined) throw failure
      if (elapsedMs() >= endsMs) throw createLapsedError()
    },
    stop: () => clearInterval(timer),
  }
}
