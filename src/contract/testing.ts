const length = 4000
const rounds = 15
const repeats = 5
const attempts = 4

/**
 * How much more ten times the input costs, by medians. What else the machine does meanwhile spoils single measurements,
 * so the sizes take turns and the best of a few attempts counts: what is quadratic comes to a hundred in each of them.
 */
export function growth(run: (text: string) => unknown, text: (length: number) => string): number {
  const inputs = [text(length), text(length * 10)]
  return Math.min(...Array.from({ length: attempts }, () => attempt(run, inputs)))
}

function attempt(run: (text: string) => unknown, inputs: string[]): number {
  const timesMs: number[][] = inputs.map(() => [])
  for (let round = 0; round < rounds; round++) {
    inputs.forEach((input, index) => {
      const start = performance.now()
      for (let i = 0; i < repeats; i++) run(input)
      timesMs[index]?.push(performance.now() - start)
    })
  }
  const [short = 0, long = 0] = timesMs.map(median)
  return long / short
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
