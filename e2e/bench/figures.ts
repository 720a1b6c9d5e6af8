/** The value below which `share` (0 to 1) of the values lie. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: number[]): number => percentile(values, 0.5)

/** Runs A B A B …, so that other load on the machine affects both equally. The first round only warms up. */
export async function interleave<A, B>(
  rounds: number,
  a: (round: string) => Promise<A>,
  b: (round: string) => Promise<B>,
): Promise<[A, B][]> {
  const pairs: [A, B][] = []
  for (let round = 0; round <= rounds; round++) {
    const pair: [A, B] = [await a(`${round}a${stamp}`), await b(`${round}b${stamp}`)]
    if (round > 0) pairs.push(pair)
  }
  return pairs
}

/** Databases are reused, so each round needs names and emails that no earlier run has created. */
const stamp = Date.now().toString(36)

export const percent = (ratio: number): string => `${(ratio * 100).toFixed(0)} %`
export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`
export const count = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ')
/** Three significant digits, at most two of them decimals. */
export const figure = (value: number): string =>
  value >= 100 ? count(value) : String(Number(value >= 10 ? value.toFixed(1) : value.toFixed(2)))
