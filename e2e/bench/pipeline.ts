import { copyDatabase, prepareDataset, removeDatabase } from './dataset.ts'
import { count, interleave, median, milliseconds, percent, percentile } from './figures.ts'
import { checkStatuses, loadOf } from './http.ts'
import type { Load, LoadResult } from './loadClient.ts'
import { type Server, startClient, startComparisonServer, startNatter } from './processes.ts'
import type { BenchOptions, Report } from './report.ts'

const requests: Load['request'][] = ['retrieve', 'create', 'update']
const connections = 32

/**
 * Requests per second of the platform, and of the same app on Hono's Node server as it comes, whose responses do not end
 * in batches.
 */
export async function benchPipeline({ rounds, seconds }: BenchOptions): Promise<Report> {
  const dataset = await prepareDataset(10_000)
  const files = { natter: copyDatabase(dataset, 'pipeline-natter'), hono: copyDatabase(dataset, 'pipeline-hono') }
  const [natter, hono] = [await startNatter(files.natter), await startComparisonServer('honoServer.ts', files.hono)]
  const client = startClient()
  const rows: string[][] = []
  for (const request of requests) {
    const load = ({ port }: Server) => {
      return async (round: string): Promise<LoadResult> => {
        const result = await client.run({ ...loadOf(dataset), request, connections, seconds, round, port })
        checkStatuses(request, result)
        return result
      }
    }
    const pairs = await interleave(rounds, load(natter), load(hono))
    const side = (index: 0 | 1): string[] => [
      count(median(pairs.map(pair => pair[index].perSecond))),
      milliseconds(median(pairs.map(pair => percentile(pair[index].latencies, 0.99)))),
    ]
    const ratios = pairs.map(([ours, theirs]) => theirs.perSecond / ours.perSecond)
    const range = `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`
    rows.push([request, ...side(0), ...side(1), percent(median(ratios)), range])
  }
  await Promise.all([client.stop(), natter.stop(), hono.stop()])
  removeDatabase(files.natter)
  removeDatabase(files.hono)
  const columns = ['', 'Natter', 'p99', 'without batches', 'p99', 'ratio', 'range']
  return { subject: 'pipeline', goals: [], tables: [{ title, columns, rows }], plots: [] }
}

const title = `Requests per second over ${connections} connections`
