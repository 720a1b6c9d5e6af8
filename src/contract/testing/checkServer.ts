import { isMainThread } from 'node:worker_threads'

// Imported by Node before a server under test (`node --import`). The worker threads of a store import it too, but send
// no responses.
if (isMainThread) (await import('./watchResponses.ts')).watchResponses()
