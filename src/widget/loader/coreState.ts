import type { App } from '../app/createApp.ts'

/** The state of the core chunk. It is loaded on first use, and again after a failure. */
export type CoreState =
  | { kind: 'absent' }
  | { kind: 'loading'; promise: Promise<void> }
  | { kind: 'running'; app: App }
  /** The page has called `destroy()`. */
  | { kind: 'destroyed' }
