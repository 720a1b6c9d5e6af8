import { startScript } from './global.ts'

// The build puts all of these into the one file: nothing is fetched later, so one integrity hash is over everything.
startScript(() => ({
  core: () => import('./core.ts'),
  panel: () => import('./ui/index.tsx'),
  placement: () => import('./placement/index.ts'),
}))
