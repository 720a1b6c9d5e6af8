export { coordinateTabs } from './tabCoordinator.ts'
