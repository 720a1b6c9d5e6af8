import type { App } from '../app/createApp.ts'

/** The core is fetched when something first needs it, and again after a failure. */
export type CoreState =
  | { kind: 'absent' }
  | { kind: 'loading'; promise: Promise<void> }
  | { kind: 'running'; app: App }
  /** By the page, whatever the state was. */
  | { kind: 'destroyed' }
