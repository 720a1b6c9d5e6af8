import { busSuite } from '../testing/busSuite.ts'
import { createMemoryBus } from './memory.ts'

busSuite('createMemoryBus', async () => {
  const bus = createMemoryBus()
  return { from: bus, to: bus }
})
