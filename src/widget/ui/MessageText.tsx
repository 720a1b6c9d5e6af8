import type { JSX } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import type { TranscriptItem } from './groupMessages.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/**
 * The text of a message. While a reply streams in, only this component renders again. If the Markdown of a message can't be
 * rendered, its source is shown, so that one message can't break the whole chat.
 */
export function MessageText({ item }: { item: TranscriptItem }): JSX.Element {
  const { conversation, panel } = useWidget()
  const strings = useStrings()
  const isStreaming = typeof item.text !== 'string'
  const text = typeof item.text === 'string' ? item.text : item.text.value
  const Markdown = useLazyPart('markdown', item.format === 'markdown' && item.author !== 'visitor')?.Markdown
  const linkify = useLazyPart('more', !Markdown && /https?:|mailto:|@/i.test(text))?.linkify
  const hasReported = useRef(false)
  const [error, resetError] = useErrorBoundary(cause => {
    if (hasReported.current) return
    hasReported.current = true
    console.error('Natter could not render a message:', cause)
    panel.reportRenderError()
  })
  // While a reply streams in, a part of it may fail although the whole can be rendered.
  useEffect(resetError, [text, isStreaming])
  // Each in an element of its own: a translator of pages may have replaced the text nodes.
  if (error) return <span key="error">{text}</span>
  if (!Markdown && linkify) return <span key="links">{linkify(text)}</span>
  if (!Markdown) return <span key="text">{text}</span>
  return (
    <Markdown
      text={text}
      images={!!conversation.botProfile.profile.value?.images}
      isStreaming={isStreaming}
      strings={strings}
    />
  )
}
