/** What something took: milliseconds of CPU, of all processes of each, and bytes that PostgreSQL wrote ahead. */
export interface Cost {
  nodeMs: number
  postgresMs: number
  natsMs: number
  walBytes: number
}

export const divided = (cost: Cost, by: number): Cost => combined(value => value / by, cost)

/** A cost without another, which can't be more than all of it. */
export const without = (cost: Cost, other: Cost): Cost => combined((a, b) => Math.max(0, a - b), cost, other)

/** Of each part the middle, or whatever is wanted. */
export function combined(how: (...values: number[]) => number, ...costs: Cost[]): Cost {
  const part = (name: keyof Cost) => how(...costs.map(cost => cost[name]))
  return { nodeMs: part('nodeMs'), postgresMs: part('postgresMs'), natsMs: part('natsMs'), walBytes: part('walBytes') }
}
