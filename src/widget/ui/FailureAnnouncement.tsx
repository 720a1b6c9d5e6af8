import { effect, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { PendingMessage } from '../models/conversation/conversation.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Code points of the message that are read aloud, to tell it from others. */
const spokenLength = 80

/**
 * Tells screen readers of each message that could not be sent. Its row is no live region, because rows are rendered anew
 * while the visitor scrolls, and would be announced again.
 */
export function FailureAnnouncement(): JSX.Element {
  const { pending } = useWidget().conversation.outbox
  const strings = useStrings()
  const announced = useSignal<PendingMessage | undefined>(undefined)
  useLayoutEffect(() => {
    let known = failedIn(pending.peek())
    return effect(() => {
      const failed = failedIn(pending.value)
      const isKnown = ({ id }: PendingMessage) => known.some(message => message.id === id)
      const isAnnounced = ({ id }: PendingMessage) => id === announced.peek()?.id
      // The text goes with the failure, so that another failure of the same message is announced, too.
      announced.value = failed.findLast(message => !isKnown(message)) ?? failed.find(isAnnounced)
      known = failed
    })
  }, [])
  const text = announced.value?.text
  return (
    <p class="aloud" role="alert">
      {text && `${strings.failed} ${[...text].slice(0, spokenLength).join('')}`}
    </p>
  )
}

const failedIn = (messages: readonly PendingMessage[]) => messages.filter(({ status }) => status === 'failed')
