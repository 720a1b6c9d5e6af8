import { createBareUpsert } from './bareUpsert.ts'
import { prepareDataset } from './dataset.ts'
import { count, interleave, median, milliseconds, percentile } from './figures.ts'
import type { Load } from './loadClient.ts'
import type { BenchOptions, Goal, Report, Table } from './report.ts'
import {
  type Bench,
  createLoad,
  measurePaced,
  measureStore,
  requireSuccess,
  type StoreFigures,
  shortTerms,
  withBench,
} from './storeMeasurements.ts'

const stormSearches = 8

/** Latencies by number of contacts of one bot, and how much heavy requests delay others. */
export async function benchStore({ rounds, seconds, contacts }: BenchOptions): Promise<Report> {
  const figures: StoreFigures[] = []
  let goals: Goal[] = []
  for (const size of contacts) {
    const dataset = await prepareDataset(size)
    await withBench(dataset, seconds, async bench => {
      const found = await measureStore(bench)
      figures.push(found)
      if (size !== contacts.at(-1)) return
      goals = [...searchGoals(found), ...(await stormGoals(bench, rounds)), ...(await upsertGoals(bench, rounds))]
    })
  }
  const medians = (of: (row: StoreFigures) => number[]) => figures.map(row => median(of(row)))
  return {
    subject: 'store',
    goals,
    tables: [tableOf(figures)],
    plots: [
      {
        name: 'contacts',
        kind: 'lines',
        title: 'Milliseconds by number of contacts (medians)',
        x: contacts.map(count),
        series: [
          { name: 'retrieve', values: medians(row => row.retrieve) },
          { name: 'create', values: medians(row => row.create) },
          { name: 'search, ≤ 100 hits', values: medians(row => row.search) },
          { name: '1–2 characters', values: medians(row => row.short) },
          { name: 'middle page', values: medians(row => row.middlePage) },
        ],
      },
    ],
  }
}

const p95 = (values: number[]): number => percentile(values, 0.95)
const p99 = (values: number[]): number => percentile(values, 0.99)

const atMost = (what: string, limit: number, ms: number): Goal => ({
  what,
  goal: `≤ ${limit} ms`,
  figure: milliseconds(ms),
  met: ms <= limit,
})

const searchGoals = ({ contacts, search, short, smallBot, middlePage }: StoreFigures): Goal[] => [
  atMost(`search among ${count(contacts)} contacts, up to 100 hits, p95`, 30, p95(search)),
  atMost('search for one or two characters, slowest', 600, Math.max(...short)),
  atMost('search in another bot with 1 000 contacts, p95', 5, p95(smallBot)),
  // Pages of 50 contacts. This is the page farthest from both ends.
  atMost('page 10 000 of a listing, median', 50, median(middlePage)),
]

/** Goals while clients send as many broad searches as they can. */
async function stormGoals(bench: Bench, rounds: number): Promise<Goal[]> {
  const queries = shortTerms.map(term => `query=${encodeURIComponent(term)}&page=50`)
  const storm: Load = createLoad(bench, { request: 'search', queries, connections: stormSearches, thinkMs: 20 })
  const ms = await measureAddedLatency(bench, 'retrieve', rounds, () =>
    bench.backgroundClient.run({ ...storm, round: '' }),
  )
  return [atMost('retrieve during many broad searches, p99 over idle', 10, ms)]
}

/** By how many milliseconds a background load raises the p99 of a request. */
async function measureAddedLatency(
  bench: Bench,
  what: 'retrieve' | 'create',
  rounds: number,
  startBackgroundLoad: () => Promise<unknown>,
): Promise<number> {
  const idle = async () => p99(await measurePaced(bench, what))
  const underLoad = async () => {
    const backgroundLoad = startBackgroundLoad()
    const ms = await idle()
    await backgroundLoad
    return ms
  }
  const pairs = await interleave(rounds, idle, underLoad)
  // Noise can make the difference negative.
  return Math.max(0, median(pairs.map(([before, during]) => during - before)))
}

/** The duration of an upsert of 1000 contacts, and how much it delays other requests. */
async function upsertGoals(bench: Bench, rounds: number): Promise<Goal[]> {
  const bare = createBareUpsert(bench.dataset)
  const ratios: number[] = []
  for (let round = 0; round <= 2 * rounds; round++) {
    const once = await bench.client.run(createLoad(bench, { request: 'upsert', seconds: 0.001 }))
    const ms = await bare.run()
    if (round > 0) ratios.push(median(requireSuccess(once).latencies) / ms)
  }
  bare.close()
  // At most four per second: without a pause, the upserts would double the number of contacts within a round.
  const upserts = async () =>
    requireSuccess(await bench.backgroundClient.run(createLoad(bench, { request: 'upsert', thinkMs: 250 })))
  return [
    {
      what: 'upsert of 1000, relative to a bare SQL transaction',
      goal: '≤ 2 ×',
      figure: `${median(ratios).toFixed(2)} ×`,
      met: median(ratios) <= 2,
    },
    atMost(
      'retrieve during upserts of 1000, p99 over idle',
      10,
      await measureAddedLatency(bench, 'retrieve', rounds, upserts),
    ),
    atMost(
      'create during upserts of 1000, p99 over idle',
      10,
      await measureAddedLatency(bench, 'create', rounds, upserts),
    ),
  ]
}

function tableOf(rows: StoreFigures[]): Table {
  const p50 = (values: number[]): string => milliseconds(median(values))
  return {
    title: 'Contacts of one bot (medians)',
    columns: [
      'contacts',
      'retrieve',
      'create',
      'search, ≤ 100 hits',
      '1–2 characters',
      'page in the middle',
      'small bot',
    ],
    rows: rows.map(row => [
      count(row.contacts),
      p50(row.retrieve),
      p50(row.create),
      p50(row.search),
      p50(row.short),
      p50(row.middlePage),
      p50(row.smallBot),
    ]),
  }
}
