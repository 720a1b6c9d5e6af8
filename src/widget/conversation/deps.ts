import type { ApiClient } from '../api/apiClient.ts'
import type { Backoff } from '../api/backoff.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'
import type { Emitter } from '../loader/events.ts'
import type { Records } from '../store/records.ts'

/** The dependencies of the models. Tests pass their own. */
export interface Deps {
  api: ApiClient
  clock: Clock
  page: Page
  backoff: Backoff
  records: Records
  emit: Emitter['emit']
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
}
