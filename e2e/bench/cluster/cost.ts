/** CPU milliseconds of all processes of the nodes, PostgreSQL and NATS, and bytes of PostgreSQL's write-ahead log. */
export interface Cost {
  nodeMs: number
  postgresMs: number
  natsMs: number
  walBytes: number
}

export const divideCost = (cost: Cost, by: number): Cost => combineCosts(value => value / by, cost)

/** Subtracts a cost from another. No part becomes negative. */
export const subtractCost = (cost: Cost, other: Cost): Cost => combineCosts((a, b) => Math.max(0, a - b), cost, other)

/** Applies a function, such as the median, to each part of the costs. */
export function combineCosts(combine: (...values: number[]) => number, ...costs: Cost[]): Cost {
  const part = (name: keyof Cost) => combine(...costs.map(cost => cost[name]))
  return { nodeMs: part('nodeMs'), postgresMs: part('postgresMs'), natsMs: part('natsMs'), walBytes: part('walBytes') }
}
