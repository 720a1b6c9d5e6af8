// What the script tag fetches as `core`: the signals come from here for the panel too. Twice they would not see each
// other, and a file of their own would be one more request.
export { batch, computed, effect, signal } from '@preact/signals-core'
export { createCore } from './core.ts'
