export { defineNatterChat } from '../loader/natterChat.ts'
export { createPlacement } from './placement.ts'
