const length = 4000
const rounds = 15
/** Repetitions of the short input: a ten times longer measurement is interrupted ten times as often. */
const repeats = [50, 5]
const attempts = 20

/** Threats: ten times the input may take at most this many times as long. */
export const linearGrowth = 15

/**
 * How much longer ten times the input takes, by medians. Other load on the machine can distort single measurements, so
 * the sizes alternate, and the first attempt with linear time counts: quadratic time gives about a hundred in every
 * attempt.
 */
export function growth(run: (text: string) => unknown, text: (length: number) => string): number {
  const inputs = [text(length), text(length * 10)]
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < attempts && best > linearGrowth; i++) best = Math.min(best, attempt(run, inputs))
  return best
}

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
