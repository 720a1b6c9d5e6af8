import { isMainThread } from 'node:worker_threads'

// Imported by Node before a server that is under test (`node --import`). The workers of a store import it too, and
// answer nobody.
if (isMainThread) (await import('./watchResponses.ts')).watchServers()
