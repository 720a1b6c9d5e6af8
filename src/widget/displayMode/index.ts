export { defineNatterChat } from './natterChat.ts'
export { createPlacement } from './placement.ts'
