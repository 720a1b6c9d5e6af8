import type { JSX } from 'preact'
import type { TranscriptItem } from './groupMessages.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** What a message says. Of a reply that is coming, this alone renders again as it grows. */
export function MessageText({ item }: { item: TranscriptItem }): JSX.Element {
  const { botProfile } = useWidget().conversation
  const strings = useStrings()
  const isStreaming = typeof item.text !== 'string'
  const text = typeof item.text === 'string' ? item.text : item.text.value
  const Markdown = useLazyPart('markdown', item.format === 'markdown' && item.author !== 'visitor')
  const linkify = useLazyPart('linkify', !Markdown && /https?:|mailto:/i.test(text))
  if (!Markdown) return <>{linkify ? linkify(text) : text}</>
  return (
    <Markdown text={text} images={!!botProfile.profile.value?.images} isStreaming={isStreaming} strings={strings} />
  )
}
