import type { JSX } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import type { TranscriptItem } from './groupMessages.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/**
 * What a message says. Of a reply that is coming, this alone renders again as it grows. Markdown that can't be rendered is
 * shown as the text that it is, so that one message doesn't take the chat away.
 */
export function MessageText({ item }: { item: TranscriptItem }): JSX.Element {
  const { conversation, panel } = useWidget()
  const strings = useStrings()
  const isStreaming = typeof item.text !== 'string'
  const text = typeof item.text === 'string' ? item.text : item.text.value
  const Markdown = useLazyPart('markdown', item.format === 'markdown' && item.author !== 'visitor')
  const linkify = useLazyPart('linkify', !Markdown && /https?:|mailto:|@/i.test(text))
  const [error] = useErrorBoundary(cause => {
    console.error('Natter could not render a message:', cause)
    panel.reportRenderError()
  })
  if (error) return <>{text}</>
  if (!Markdown) return <>{linkify ? linkify(text) : text}</>
  return (
    <Markdown
      text={text}
      images={!!conversation.botProfile.profile.value?.images}
      isStreaming={isStreaming}
      strings={strings}
    />
  )
}
