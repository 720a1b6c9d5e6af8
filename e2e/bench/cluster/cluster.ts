import type { BenchOptions, Report } from '../report.ts'
import type { ClusterFigures } from './clusterFigures.ts'
import { startDeployment } from './deployment.ts'
import { watchMachine } from './machine.ts'
import { clusterReport } from './report.ts'
import { measureRequests } from './requests.ts'
import { sizingReports } from './sizing.ts'
import { measureStreams } from './streams.ts'

/** Measures one, two and four nodes with one PostgreSQL, and derives how large a deployment must be. */
export async function benchCluster({ rounds, seconds }: BenchOptions): Promise<Report[]> {
  const stopWatching = watchMachine()
  const deployment = await startDeployment()
  const requests = await measureRequests(deployment, rounds, seconds)
  await deployment.restartNodes()
  const streams = await measureStreams(deployment)
  const bytes = await deployment.queryRow<ClusterFigures['bytes']>(
    `SELECT pg_total_relation_size('contacts') / contacts.count::float AS contact,
       pg_relation_size('contacts_search') / contacts.count::float AS search,
       pg_total_relation_size('messages') / messages.count::float AS message
     FROM (SELECT count(*) FROM contacts) contacts, (SELECT count(*) FROM messages) messages`,
  )
  await deployment.stop()
  const found = { requests, streams, bytes, machineLoad: stopWatching() }
  return [clusterReport(found), ...sizingReports(found)]
}
