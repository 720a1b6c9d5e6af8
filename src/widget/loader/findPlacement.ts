import type { Placement, PlacementDeps } from '../displayMode/placement.ts'
import type { Chunks } from './chunks.ts'
import { corner } from './corner.ts'

/** Where the site wants the chat. It is in the corner, too, where the chunk for other places can't be fetched. */
export async function findPlacement(chunks: Chunks, deps: Omit<PlacementDeps, 'corner'>): Promise<Placement> {
  const { launcher, mode } = deps.options
  if (!launcher && mode !== 'inline') return corner
  try {
    const { createPlacement } = await chunks.displayMode()
    return await createPlacement({ ...deps, corner })
  } catch {
    return corner
  }
}
