// The entry of the chunk of sessions with a token.

export { streamEvents } from '../api/eventStream.ts'
export { holdStreamSlot, openTabChannel } from '../tabs/index.ts'
