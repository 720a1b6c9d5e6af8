import { parseArgs } from 'node:util'
import { benchHttp } from './http.ts'
import { publish, type Report } from './report.ts'
import { benchStreams } from './streams.ts'

const subjects: Record<string, (options: { rounds: number; seconds: number }) => Promise<Report>> = {
  http: benchHttp,
  streams: () => benchStreams({}),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
})
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
for (const name of positionals.length > 0 ? positionals : Object.keys(subjects)) {
  const run = subjects[name]
  if (!run) throw new Error(`There is no ${name}; there are ${Object.keys(subjects).join(', ')}.`)
  publish(await run(options))
}
