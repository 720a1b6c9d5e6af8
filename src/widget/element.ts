import { bundledChunks } from './bundledChunks.ts'
import { defineNatterChat, type NatterChatElement } from './displayMode/natterChat.ts'
import { createHandle } from './loader/createHandle.ts'
import { isSupported } from './loader/inertHandle.ts'

export type { NatterChatElement } from './displayMode/natterChat.ts'

declare global {
  interface HTMLElementTagNameMap {
    'natter-chat': NatterChatElement
  }
}

// A server has no elements.
if (typeof document !== 'undefined' && isSupported()) defineNatterChat({ chunks: bundledChunks, createHandle })
