import { copyDatabase, prepareDataset, removeDatabase } from './dataset.ts'
import { count, interleave, median, milliseconds, percent, percentile } from './figures.ts'
import { checkStatuses, loadOf } from './http.ts'
import type { Load, LoadResult } from './load.ts'
import { type Server, startClient, startNatter, startOther } from './processes.ts'
import type { BenchOptions, Report } from './report.ts'
import { settled } from './settled.ts'

const asks: Load['ask'][] = ['retrieve', 'create', 'update']
const connections = 32

/**
 * Requests per second of the platform, and of the same app on Hono's Node server as it comes, whose responses do not end
 * in batches.
 */
export async function benchPipeline({ rounds, seconds }: BenchOptions): Promise<Report> {
  const dataset = await prepareDataset(10_000)
  const files = { natter: copyDatabase(dataset, 'pipeline-natter'), hono: copyDatabase(dataset, 'pipeline-hono') }
  const [natter, hono] = [await startNatter(files.natter), await startOther('hono.ts', files.hono)]
  const client = startClient()
  const rows: string[][] = []
  for (const ask of asks) {
    const load = ({ port }: Server, database: string) => {
      return async (round: string): Promise<LoadResult> => {
        const result = await client.run({ ...loadOf(dataset), ask, connections, seconds, round, port })
        checkStatuses(ask, result)
        await settled(database)
        return result
      }
    }
    const pairs = await interleave(rounds, load(natter, files.natter), load(hono, files.hono))
    const side = (index: 0 | 1): string[] => [
      count(median(pairs.map(pair => pair[index].perSecond))),
      milliseconds(median(pairs.map(pair => percentile(pair[index].latencies, 0.99)))),
    ]
    const ratios = pairs.map(([ours, theirs]) => theirs.perSecond / ours.perSecond)
    const range = `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`
    rows.push([ask, ...side(0), ...side(1), percent(median(ratios)), range])
  }
  await Promise.all([client.stop(), natter.stop(), hono.stop()])
  removeDatabase(files.natter)
  removeDatabase(files.hono)
  const columns = ['', 'Natter', 'p99', 'without batches', 'p99', 'ratio', 'range']
  return { subject: 'pipeline', goals: [], tables: [{ title, columns, rows }], plots: [] }
}

const title = `Requests per second over ${connections} connections`
