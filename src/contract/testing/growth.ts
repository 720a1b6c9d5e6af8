const length = 4000
const rounds = 15
/** Repetitions of the short input: a ten times longer measurement is interrupted ten times as often. */
const repeats = [20, 2]
const attempts = 20

/** Threats: ten times the input may take at most this many times as long. */
export const linearGrowth = 15

/**
 * How much longer ten times the input takes, by medians. Other load on the machine can distort single measurements, so
 * the sizes alternate, and the first attempt with linear time counts: quadratic time gives about a hundred in every
 * attempt. Where memory is slow, that is divided by what it costs there.
 */
export function growth(run: (text: string) => unknown, text: (length: number) => string): number {
  const inputs = [text(length), text(length * 10)]
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < attempts && best > linearGrowth; i++) {
    const measured = attempt(run, inputs)
    best = Math.min(best, measured > linearGrowth ? measured / memoryFactor(inputs) : measured)
  }
  return best
}

/**
 * Lists of more than 128 KiB are new memory for V8 each time, which some virtual machines provide slowly. There, even a
 * split of the long input takes far more than ten times as long. Returns how many times as much more: five at most, so that
 * quadratic time still exceeds the limit.
 */
const memoryFactor = (inputs: string[]): number =>
  Math.min(5, Math.max(1, attempt(text => text.split(''), inputs) / 10))

function attempt(run: (text: string) => unknown, inputs: string[]): number {
  const timesMs: number[][] = inputs.map(() => [])
  for (let round = 0; round < rounds; round++) {
    inputs.forEach((input, index) => {
      const start = performance.now()
      const times = repeats[index] ?? 1
      for (let i = 0; i < times; i++) run(input)
      timesMs[index]?.push((performance.now() - start) / times)
    })
  }
  const [short = 0, long = 0] = timesMs.map(median)
  return long / short
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
