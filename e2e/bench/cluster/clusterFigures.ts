import type { MachineLoad } from './machine.ts'
import type { RequestFigures } from './requests.ts'
import type { StreamFigures } from './streams.ts'

/** The results of the benchmark, from which the reports are made. */
export interface ClusterFigures {
  requests: RequestFigures[]
  streams: StreamFigures
  /** Bytes on disk: a contact with its indexes, its part of the search index, a message with its indexes. */
  bytes: { contact: number; search: number; message: number }
  machineLoad: MachineLoad
}
