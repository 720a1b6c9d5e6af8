import type { Chunks } from './loader/chunks.ts'

/** The chunks for the npm package, which a site's bundler splits, and for the single file. */
export const bundledChunks: Chunks = {
  core: () => import('./app/createApp.ts'),
  panel() {
    // The panel imports it by itself. Fetched at the same time, it needs no further round trip.
    import('./ui/Transcript.tsx').catch(() => {})
    return import('./ui/mountPanel.tsx')
  },
  displayMode: () => import('./displayMode/index.ts'),
}
