import { parseArgs } from 'node:util'
import { benchCluster } from './cluster/cluster.ts'
import { benchColdReads } from './coldReads.ts'
import { benchDesk } from './desk.ts'
import { benchHttp } from './http.ts'
import { benchListing } from './listing/listing.ts'
import { benchPipeline } from './pipeline.ts'
import { type BenchOptions, publish, type Report } from './report.ts'
import { benchStore } from './store.ts'
import { benchStreams } from './streams.ts'
import { benchWidget } from './widget/widget.ts'

const subjects: Record<string, (options: BenchOptions) => Promise<Report | Report[]>> = {
  cluster: benchCluster,
  cold: benchColdReads,
  desk: benchDesk,
  http: benchHttp,
  listing: benchListing,
  pipeline: benchPipeline,
  store: benchStore,
  streams: benchStreams,
  widget: benchWidget,
}

/** Measured by default. The others have their own commands, or are long. */
const defaultSubjects = ['http', 'store', 'streams', 'desk']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '5' },
    contacts: { type: 'string', default: '10000,100000,1000000' },
    streams: { type: 'string', default: '100,1000,10000' },
    rows: { type: 'string', default: '10000000' },
  },
})
const numbers = (text: string): number[] => text.split(',').map(Number)
const options: BenchOptions = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  contacts: numbers(values.contacts),
  streams: numbers(values.streams),
  rows: Number(values.rows),
}
for (const name of positionals.length > 0 ? positionals : defaultSubjects) {
  const run = subjects[name]
  if (!run) throw new Error(`Unknown benchmark ${name}. Choose from ${Object.keys(subjects).join(', ')}.`)
  for (const report of [await run(options)].flat()) publish(report)
}
