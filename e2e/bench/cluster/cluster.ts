import type { BenchOptions, Report } from '../report.ts'
import { startDeployment } from './deployment.ts'
import { type Meanwhile, watchMachine } from './machine.ts'
import { clusterReport } from './report.ts'
import { measureRequests, type RequestFigures } from './requests.ts'
import { sizingReport } from './sizing.ts'
import { measureStreams, type StreamFigures } from './streams.ts'

export interface ClusterFigures {
  requests: RequestFigures[]
  streams: StreamFigures
  /** On disk: of a contact with its indexes, of its part of the index for searches, of a message with its indexes. */
  bytes: { contact: number; search: number; message: number }
  meanwhile: Meanwhile
}

/** One, two and four nodes on one PostgreSQL, and what follows from what they cost for the size of a deployment. */
export async function benchCluster({ rounds, seconds }: BenchOptions): Promise<Report[]> {
  const stopWatching = watchMachine()
  const deployment = await startDeployment()
  const requests = await measureRequests(deployment, rounds, seconds)
  await deployment.renew()
  const streams = await measureStreams(deployment)
  const bytes = await deployment.ask<ClusterFigures['bytes']>(
    `SELECT pg_total_relation_size('contacts') / contacts.count::float AS contact,
       pg_relation_size('contacts_search') / contacts.count::float AS search,
       pg_total_relation_size('messages') / messages.count::float AS message
     FROM (SELECT count(*) FROM contacts) contacts, (SELECT count(*) FROM messages) messages`,
  )
  await deployment.stop()
  const found = { requests, streams, bytes, meanwhile: stopWatching() }
  return [clusterReport(found), sizingReport(found)]
}
