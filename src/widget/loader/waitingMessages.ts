import type { App } from '../app/createApp.ts'
import type { ParsedOptions } from './parseOptions.ts'
import { readContactToken } from './storedToken.ts'

type PageMessage = Parameters<App['message']>[0]

/** Messages that the page has passed to `message()` before the core was loaded. */
export interface WaitingMessages {
  add(message: PageMessage): void
  /**
   * Call it when there is no core to send to: it could not be loaded, or the page has replaced its document. The messages
   * wait for the next attempt, unless the contact changes until then.
   */
  hold(): void
  /** Returns `app`. */
  sendTo(app: App): App
  /** Drops all messages, because the session has changed. */
  clear(): void
}

export function createWaitingMessages(options: ParsedOptions): WaitingMessages {
  let waiting: { message: PageMessage; heldFor?: string }[] = []
  return {
    add(message) {
      waiting.push({ message })
    },
    hold() {
      for (const each of waiting) each.heldFor ??= readContactToken(options)
    },
    sendTo(app) {
      for (const { message, heldFor } of waiting.splice(0)) {
        if (heldFor === undefined || heldFor === readContactToken(options)) app.message(message)
      }
      return app
    },
    clear() {
      waiting = []
    },
  }
}
