// An epoch is one stretch between two changes of identity, the same for every tab of the origin. Its id is
// `<counter>.<series>.<random>`, such as `17.k3x9qa.p0q8zz`; `''` where none has begun. Ids are compared as a whole: two tabs
// that begin an epoch at the same moment begin different ones.

/** What is read out of the id of an epoch. */
interface Epoch {
  /** For order: how many epochs have begun in this series. It depends on no clock, which can be set back. */
  counter: number
  /** Another one after storage has been emptied: the counter then begins anew, and says nothing about older epochs. */
  series: string
}

export function parseEpoch(id: string): Epoch {
  const [counter, series = ''] = id.split('.')
  return { counter: Number(counter), series }
}

/** Whether it began earlier, as far as can be told: not of another series, nor of two that began at the same moment. */
export function isBefore(epoch: string, other: string): boolean {
  const [one, two] = [parseEpoch(epoch), parseEpoch(other)]
  return one.series === two.series && one.counter < two.counter
}

/**
 * Whether a tab in `epoch` must leave alone what is stored of the epoch `other`: that is later, or can't be compared, and
 * localStorage doesn't say that `epoch` is the current one.
 */
export const isOvertaken = (epoch: string, other: string, isCurrent: (epoch: string) => boolean): boolean =>
  isBefore(epoch, other) || (other !== '' && other !== epoch && !isBefore(other, epoch) && !isCurrent(epoch))

/** The id of the epoch after `current`. */
export function nextEpoch(current: string, random = randomPart): string {
  const { counter, series } = parseEpoch(current)
  return `${counter + 1}.${series || random()}.${random()}`
}

/** Not Math.random: some pages replace it by one that gives the same numbers in every tab. */
const randomPart = () => crypto.getRandomValues(new Uint32Array(2)).join('_')
