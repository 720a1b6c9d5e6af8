import { startScript } from './loader/startScript.ts'

// The build puts all of these into the one file: nothing is fetched later, so one integrity hash is over everything.
startScript(() => ({
  core: () => import('./app/createApp.ts'),
  panel: () => import('./ui/mountPanel.tsx'),
  displayMode: () => import('./displayMode/index.ts'),
}))
