import { effect, type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { firstName } from '../../../contract/firstName.ts'
import { eventTexts, type TranscriptItem } from '../groupMessages.ts'
import { interpolate } from '../interpolate.ts'
import { useWidget } from '../WidgetContext.ts'

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
    const lines: Pick<TranscriptItem, 'text' | 'lang'>[] = profile.greeting
      .split('\n')
      .filter(line => line.trim())
      .map(text => ({ text }))
    if (contact) {
      const { greetContact, lang } = strings.value
      // The first of several lines is a salutation, and nobody is greeted twice.
      lines.splice(0, lines.length > 1 ? 1 : 0, {
        text: interpolate(greetContact, firstName(contact.name, lang)),
        lang,
      })
    }
    return lines.map((line, index) => ({ ...line, id: `greeting-${index}`, author: 'bot', createdAt: '' }))
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

/**
 * Limits updates of a growing value to one per frame. A value with another id, and `null`, are passed on at once. A hidden
 * tab has no frames, so only those are passed on there.
 */
export function useFrameThrottle<Growing extends { id: string }>(
  source: ReadonlySignal<Growing | null>,
): ReadonlySignal<Growing | null> {
  const throttled = useSignal(source.peek())
  useLayoutEffect(() => {
    let frame = 0
    const update = () => {
      frame = 0
      throttled.value = source.peek()
    }
    const stop = effect(() => {
      if (source.value?.id !== throttled.peek()?.id) {
        cancelAnimationFrame(frame)
        update()
      } else frame ||= requestAnimationFrame(update)
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [])
  return throttled
}
