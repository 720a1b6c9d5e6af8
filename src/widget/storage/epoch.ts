import type { AuthReason } from '../loader/events.ts'

/** What begins an epoch. */
export type EpochReason = Exclude<AuthReason, 'replaced' | 'restored'>

/** One stretch between two changes of identity, the same for every tab of the origin. */
export interface Epoch {
  /** Different for any two epochs, also when two tabs begin one in the same moment. */
  id: string
  /** Only for order: how many epochs this browser has begun before. */
  n: number
  reason: EpochReason
}

/** Reads `17.k3x9q logout`. Anything else is the epoch of a browser in which nobody has been identified yet. */
export function parseEpoch(text: string | null | undefined): Epoch {
  const [, id = '', n = '0', reason = 'logout'] =
    /^((\d{1,15})\.\w+) (login|logout|revoked|expired|contact_deleted)$/.exec(text ?? '') ?? []
  return { id, n: Number(n), reason: reason as EpochReason }
}

/** The text to store for the epoch after `current`. It doesn't depend on the clock, which can be set back. */
export function nextEpoch(current: string | null | undefined, reason: EpochReason): string {
  const n = Number.parseInt(current || '', 10) || 0
  return `${n + 1}.${Math.random().toString(36).slice(2)} ${reason}`
}
