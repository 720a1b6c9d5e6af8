import type { Draft } from '../conversation/draft.ts'
import { maxMessageLength, messageLength } from '../conversation/messageText.ts'
import type { Outbox } from '../conversation/outbox.ts'
import type { SignIn } from '../identity/signIn.ts'

export interface PageMessage {
  text?: string
  prefill?: string
}

interface PageMessagesDeps {
  signIn: Pick<SignIn, 'canWrite' | 'checkUnlessConfirmed'>
  outbox: Pick<Outbox, 'send'>
  draft: Pick<Draft, 'prefill'>
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
}

/** What the page says for the visitor waits in memory while nobody may write. */
export function createPageMessages({ signIn, outbox, draft, abortSignal }: PageMessagesDeps) {
  const waiting: PageMessage[] = []

  function send({ text = '', prefill = '' }: PageMessage): void {
    const isLong = messageLength(`${text}`) > maxMessageLength
    if (text && !isLong) outbox.send(`${text}`)
    // A text that is too long goes into the composer, which shows the limit.
    const unsent = isLong ? text : prefill
    if (unsent) draft.prefill(`${unsent}`)
  }

  const stop = signIn.canWrite.subscribe(canWrite => {
    if (canWrite) waiting.splice(0).forEach(send)
  })
  abortSignal.addEventListener('abort', stop)

  return {
    /** Sends `text` as the visitor's message, and puts `prefill` into the composer, after what the visitor has written. */
    add(message: PageMessage): void {
      signIn.checkUnlessConfirmed()
      if (signIn.canWrite.peek()) send(message)
      else waiting.push(message)
    },
    /** Drops what waits. */
    clear(): void {
      waiting.length = 0
    },
  }
}
