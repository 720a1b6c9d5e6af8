export { follow } from './follow.ts'
