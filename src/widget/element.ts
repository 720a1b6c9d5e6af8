import { createWidget } from './index.ts'
import { defineNatterChat, type NatterChatElement } from './loader/natterChat.ts'
import type { WidgetOptions } from './loader/options.ts'

export type { NatterChatElement } from './loader/natterChat.ts'

declare global {
  interface HTMLElementTagNameMap {
    'natter-chat': NatterChatElement
  }
}

// `createWidget` itself says what is missing.
defineNatterChat(options => createWidget(options as WidgetOptions & { baseUrl: string }))
