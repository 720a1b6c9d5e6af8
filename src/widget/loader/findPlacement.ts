import type { Placement, PlacementDeps } from '../displayMode/placement.ts'
import type { Chunks } from './chunks.ts'
import { floatingPlacement } from './floatingPlacement.ts'

/** Resolves to the placement that the options ask for. If the chunk for it can't be loaded, the chat floats. */
export async function findPlacement(chunks: Chunks, deps: Omit<PlacementDeps, 'floating'>): Promise<Placement> {
  const { launcher, mode } = deps.options
  if (!launcher && mode !== 'inline') return floatingPlacement
  try {
    const { createPlacement } = await chunks.displayMode()
    return await createPlacement({ ...deps, floating: floatingPlacement })
  } catch {
    return floatingPlacement
  }
}
