import type { AuthReason } from '../loader/events.ts'

/** What begins an epoch. `storage_empty`: storage held no epoch, on a first visit or because the page emptied it. */
export type EpochReason = Exclude<AuthReason, 'replaced' | 'restored'> | 'storage_empty'

/** One stretch between two changes of identity, the same for every tab of the origin. */
export interface Epoch {
  /** `17.k3x9qa.p0q8zz`; `''` where none is stored. Compared as a whole: two tabs that begin one at once begin two. */
  id: string
  /** For order: how many epochs have begun in this series. It depends on no clock, which can be set back. */
  counter: number
  /** Another one after storage has been emptied: the counter then begins anew, and says nothing about older epochs. */
  series: string
  reason: EpochReason
}

/** Reads `17.k3x9qa.p0q8zz logout`, or an id alone. Anything else counts as no epoch. */
export function parseEpoch(text: string | null | undefined): Epoch {
  const [, id = '', counter = '0', series = '', reason = 'logout'] =
    /^((\d{1,15})\.(\w+)\.\w+)(?: (login|logout|revoked|expired|contact_deleted|storage_empty))?$/.exec(text ?? '') ??
    []
  return { id, counter: Number(counter), series, reason: reason as EpochReason }
}

/** Whether it began earlier, as far as can be told: not of another series, nor of two that began at the same moment. */
export function isBefore(epoch: string, other: string): boolean {
  const [one, two] = [parseEpoch(epoch), parseEpoch(other)]
  return one.series === two.series && one.counter < two.counter
}

/** The text to store for the epoch after `current`. The eager script has it, so it doesn't take the whole of `parseEpoch`. */
export function nextEpoch(current: string | null | undefined, reason: EpochReason, random = randomPart): string {
  const [, counter = 0, series = random()] = /^(\d{1,15})\.(\w+)\.\w/.exec(`${current}`) || []
  return `${Number(counter) + 1}.${series}.${random()} ${reason}`
}

/** Not Math.random: some pages replace it by one that gives the same numbers in every tab. */
const randomPart = () => crypto.getRandomValues(new Uint32Array(2)).join('_')
