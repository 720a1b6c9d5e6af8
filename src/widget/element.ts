import { bundledChunks } from './bundledChunks.ts'
import { defineNatterChat, type NatterChatElement } from './displayMode/natterChat.ts'
import { createHandle } from './loader/createHandle.ts'
import { optionNames } from './loader/parseOptions.ts'
import { isSupported } from './loader/widgetHandle.ts'

export type { NatterChatElement } from './displayMode/natterChat.ts'

declare global {
  interface HTMLElementTagNameMap {
    'natter-chat': NatterChatElement
  }
}

// On a server there is no document.
if (typeof document !== 'undefined' && isSupported()) {
  defineNatterChat({
    createWidget: (options, onDestroy) => createHandle(options, { chunks: bundledChunks, onDestroy }),
    optionNames,
  })
}
