import type { Chunks } from './loader/chunks.ts'

/** The chunks for the npm package, which a site's bundler splits, and for the single file. */
export const bundledChunks: Chunks = {
  core: () => import('./app/createApp.ts'),
  panel: () => import('./ui/mountPanel.tsx'),
  displayMode: () => import('./displayMode/index.ts'),
  diagnostics: () => import('./diagnostics/index.ts'),
}
