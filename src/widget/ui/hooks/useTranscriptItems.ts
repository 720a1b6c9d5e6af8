import { type ReadonlySignal, useComputed } from '@preact/signals'
import { firstName } from '../../../contract/firstName.ts'
import { eventTexts } from '../eventTexts.ts'
import type { TranscriptItem } from '../groupMessages.ts'
import { interpolate } from '../interpolate.ts'
import { useWidget } from '../WidgetContext.ts'
import { useFrameThrottle } from './useFrameThrottle.ts'

/** Returns the transcript's items in order: the greeting, stored messages, pending messages, and the streaming reply. */
export function useTranscriptItems(): ReadonlySignal<readonly TranscriptItem[]> {
  const greeting = useGreeting()
  const reply = useStreamingItem()
  const { messageStore, outbox } = useWidget().conversation
  return useComputed(() => [
    ...greeting.value,
    ...messageStore.messages.value.filter(({ event }) => !event || eventTexts.has(event)),
    ...outbox.pending.value.map(message => ({ ...message, author: 'visitor' as const })),
    ...(reply.value ? [reply.value] : []),
  ])
}

/**
 * Returns the lines of the bot's greeting; none until the first message of the conversation is loaded. They belong to nobody,
 * so they stay while somebody signs in.
 */
function useGreeting(): ReadonlySignal<readonly TranscriptItem[]> {
  const { session, conversation, strings } = useWidget()
  return useComputed(() => {
    const profile = conversation.botProfile.profile.value
    const isComplete = conversation.messageStore.history.value === 'complete'
    if (!profile || !(isComplete || session.status.value === 'identifying')) return []
    const contact = session.contact.value
    const lines = profile.greeting.split('\n').filter(line => line.trim())
    if (contact) {
      const { greetContact, lang } = strings.value
      lines.unshift(interpolate(greetContact, firstName(contact.name, lang)))
    }
    return lines.map((text, index) => ({ id: `greeting-${index}`, author: 'bot', text, createdAt: '' }))
  })
}

/** Returns the streaming reply. The item stays the same object while the reply grows, because its text is a signal. */
function useStreamingItem(): ReadonlySignal<TranscriptItem | null> {
  const { messageStore, outbox, reply } = useWidget().conversation
  const throttled = useFrameThrottle(reply.streaming)
  const id = useComputed(() => throttled.value?.id)
  const format = useComputed(() => throttled.value?.format)
  const text = useComputed(() => throttled.value?.text ?? '')
  // Until it is stored, it has the time of the message before it.
  const createdAt = useComputed(() => (outbox.pending.value.at(-1) ?? messageStore.messages.value.at(-1))?.createdAt)
  return useComputed(() =>
    id.value ? { id: id.value, author: 'bot', text, format: format.value, createdAt: createdAt.value ?? '' } : null,
  )
}
