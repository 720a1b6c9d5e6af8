import type { App } from '../app/createApp.ts'
import type { ParsedOptions } from './parseOptions.ts'
import { readContactToken } from './storedToken.ts'

type PageMessage = Parameters<App['message']>[0]

/** What the page has said with `message()` and the core doesn't have yet. */
export interface WaitingMessages {
  add(message: PageMessage): void
  /** The core could not be fetched. What waits goes to the next one, unless another contact is stored by then. */
  hold(): void
  sendTo(app: App): void
  /** Another person is here. */
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
        if (heldFor === undefined || heldFor === readContactToken(options)) void app.message(message)
      }
    },
    clear() {
      waiting = []
    },
  }
}
