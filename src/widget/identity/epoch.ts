// An epoch is the time between two changes of identity. All tabs of the origin share it. Its id is
// `<counter>.<series>.<random>`, such as `17.k3x9qa.p0q8zz`, or `''` if none has begun. Always compare whole ids: two tabs
// that begin an epoch at the same moment get the same counter and different ids.

/** The parts of an epoch's id that order it. */
interface Epoch {
  /** The number of epochs that have begun in this series. It replaces a time, because a clock can be set back. */
  counter: number
  /** Changes when storage was emptied. The counter then starts again, so epochs of different series have no order. */
  series: string
}

export function parseEpoch(id: string): Epoch {
  const [counter, series = ''] = id.split('.')
  return { counter: Number(counter), series }
}

/** Whether `epoch` began before `other`. False if their order is unknown: another series, or begun at the same moment. */
export function isBefore(epoch: string, other: string): boolean {
  const [one, two] = [parseEpoch(epoch), parseEpoch(other)]
  return one.series === two.series && one.counter < two.counter
}

/**
 * Whether a tab in `epoch` must not touch records of the epoch `other`. True if `other` is later, or if their order is
 * unknown and localStorage doesn't show `epoch` as the current one.
 */
export const isOvertaken = (epoch: string, other: string, isCurrent: (epoch: string) => boolean): boolean =>
  isBefore(epoch, other) || (other !== '' && other !== epoch && !isBefore(other, epoch) && !isCurrent(epoch))

/** Creates the id of the epoch after `current`. */
export function nextEpoch(current: string, random = randomPart): string {
  const { counter, series } = parseEpoch(current)
  return `${counter + 1}.${series || random()}.${random()}`
}

/** Some pages replace `Math.random` with a function that returns the same numbers in every tab, so it isn't used here. */
const randomPart = () => crypto.getRandomValues(new Uint32Array(2)).join('_')
