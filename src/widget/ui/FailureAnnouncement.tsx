import { effect, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { PendingMessage } from '../conversation/conversation.ts'
import { LiveText } from './elements.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** How many code points of the failed message are announced, to identify it. */
const announcedLength = 80

/**
 * Announces each message that could not be sent to screen readers. The row of the message is not a live region, because
 * scrolling mounts rows again, which would announce them again.
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
      // Clear the text when the message no longer has failed, so that another failure of it is announced, too.
      announced.value = failed.findLast(message => !isKnown(message)) ?? failed.find(isAnnounced)
      known = failed
    })
  }, [])
  const message = announced.value
  const text = message?.text || message?.files?.map(({ name }) => name).join(', ')
  return (
    <p class="aloud" role="alert">
      <LiveText text={text && `${strings.failed} ${[...text].slice(0, announcedLength).join('')}`} />
    </p>
  )
}

const failedIn = (messages: readonly PendingMessage[]) => messages.filter(({ status }) => status === 'failed')
