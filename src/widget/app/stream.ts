// The entry of the chunk of sessions with a token.

export { streamEvents } from '../api/eventStream.ts'
export { holdStreamSlot } from '../tabs/streamSlot.ts'
export { openTabChannel } from '../tabs/tabChannel.ts'
