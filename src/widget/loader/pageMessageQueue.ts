import type { App } from '../app/createApp.ts'
import type { PageMessage } from '../app/pageMessages.ts'
import type { ParsedOptions } from './parseOptions.ts'
import { readIdentity } from './storedToken.ts'

/** Keeps what the page says with `message()` before the core is loaded. */
export function createPageMessageQueue(options: ParsedOptions) {
  let queue: { message: PageMessage; epoch: string | undefined }[] = []
  return {
    /**
     * The message waits, unless somebody logs in or out until it is sent, in whichever tab. `followsLogin`: the page has called
     * `login()`, so the message is for whomever that logs in.
     */
    add(message: PageMessage, followsLogin: boolean): void {
      queue.push({ message, epoch: followsLogin ? undefined : readIdentity(options).epoch })
    },
    /** Call it when the core could not be loaded: no login waits any more, and the messages wait for the next attempt. */
    hold(): void {
      for (const each of queue) each.epoch ??= readIdentity(options).epoch
    },
    /** Sends the messages, except those of an earlier epoch. Returns `app`. */
    sendTo(app: App): App {
      const { epoch, reason } = readIdentity(options)
      for (const { message, epoch: own = epoch } of queue.splice(0)) {
        // Nobody logs in or out when the first epoch begins.
        if (own === epoch || (!own && reason === 'storage_reset')) app.message(message)
      }
      return app
    },
    /** Drops all messages, because the session has changed. */
    clear(): void {
      queue = []
    },
  }
}
