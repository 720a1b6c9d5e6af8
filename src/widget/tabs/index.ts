export { holdStreamSlot } from './streamSlot.ts'
export { openTabChannel } from './tabChannel.ts'
