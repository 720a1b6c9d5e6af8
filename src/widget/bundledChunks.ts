import type { Chunks } from './loader/chunks.ts'

/** The chunks as the bundler of a site makes them, or the build of the single file. */
export const bundledChunks: Chunks = {
  core: () => import('./app/createApp.ts'),
  panel: () => import('./ui/mountPanel.tsx'),
  displayMode: () => import('./displayMode/index.ts'),
  diagnostics: () => import('./diagnostics/index.ts'),
}
