import { copyDatabase, type Dataset, prepareDataset, removeDatabase } from './dataset.ts'
import { count, interleave, median, milliseconds, percent, percentile } from './figures.ts'
import type { Load, LoadResult } from './loadClient.ts'
import { type Server, startClient, startComparisonServer, startNatter } from './processes.ts'
import type { BenchOptions, Goal, Report } from './report.ts'

const goals: { request: Load['request']; connections: number; atLeast: number }[] = [
  { request: 'retrieve', connections: 32, atLeast: 0.4 },
  { request: 'create', connections: 32, atLeast: 1 },
  { request: 'create', connections: 1, atLeast: 0.6 },
  { request: 'update', connections: 32, atLeast: 1 },
  { request: 'update', connections: 1, atLeast: 0.6 },
]

/** Requests per second over HTTP, compared with a bare server that runs the same SQL on a copy of the same store. */
export async function benchHttp({ rounds, seconds }: BenchOptions): Promise<Report> {
  const dataset = await prepareDataset(10_000)
  const files = { natter: copyDatabase(dataset, 'http-natter'), bare: copyDatabase(dataset, 'http-bare') }
  const [natter, bare] = [await startNatter(files.natter), await startComparisonServer('bareServer.ts', files.bare)]
  const client = startClient()
  const found: { what: string; goal: Goal; pairs: [LoadResult, LoadResult][] }[] = []
  for (const { request, connections, atLeast } of goals) {
    const load = ({ port }: Server) => {
      return async (round: string): Promise<LoadResult> => {
        const load = { request, connections, seconds, round: `${round}.${connections}` }
        return client.run({ ...loadOf(dataset), ...load, port })
      }
    }
    const pairs = await interleave(rounds, load(natter), load(bare))
    for (const result of pairs.flat()) checkStatuses(request, result)
    const ratio = median(pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond))
    const what = `${request}, ${connections === 1 ? 'one connection' : `${connections} connections`}`
    const goal = { what, goal: `≥ ${percent(atLeast)}`, figure: percent(ratio), met: ratio >= atLeast }
    found.push({ what, goal, pairs })
  }
  await Promise.all([client.stop(), natter.stop(), bare.stop()])
  removeDatabase(files.natter)
  removeDatabase(files.bare)
  const perSecond = (side: 0 | 1) => found.map(({ pairs }) => median(pairs.map(pair => pair[side].perSecond)))
  return {
    subject: 'http',
    goals: found.map(({ goal }) => goal),
    tables: [{ title: 'Requests per second', columns, rows: found.map(({ what, pairs }) => [what, ...rowOf(pairs)]) }],
    plots: [
      {
        name: 'http',
        kind: 'bars',
        title: 'Requests per second',
        x: goals.map(({ request, connections }) => `${request} × ${connections}`),
        series: [
          { name: 'Natter', values: perSecond(0) },
          { name: 'bare node:http', values: perSecond(1) },
        ],
      },
    ],
  }
}

const columns = ['', 'Natter', 'bare node:http', 'Natter p99', 'bare p99', 'client’s share of a core']

function rowOf(pairs: [LoadResult, LoadResult][]): string[] {
  const [ours, theirs] = [pairs.map(pair => pair[0]), pairs.map(pair => pair[1])]
  const perSecond = (results: LoadResult[]) => count(median(results.map(result => result.perSecond)))
  const slowest = (results: LoadResult[]) =>
    milliseconds(median(results.map(result => percentile(result.latencies, 0.99))))
  const cpu = percent(Math.max(...pairs.flat().map(result => result.cpu)))
  return [perSecond(ours), perSecond(theirs), slowest(ours), slowest(theirs), cpu]
}

export const loadOf = ({ botId, token, contactIds }: Dataset) => ({ path: `/v1/bots/${botId}`, token, contactIds })

export function checkStatuses(request: string, { statuses }: LoadResult): void {
  const wrong = Object.keys(statuses).filter(status => !status.startsWith('2'))
  if (wrong.length > 0) throw new Error(`${request} was answered with ${JSON.stringify(statuses)}`)
}
