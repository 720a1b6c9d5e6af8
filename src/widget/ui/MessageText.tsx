import type { JSX } from 'preact'
import type { TranscriptItem } from './groupMessages.ts'
import { withLinks } from './links.tsx'
import { useMarkdown } from './MarkdownContext.ts'
import { useWidget } from './WidgetContext.ts'

/** What a message says. Of a reply that is coming, this alone renders again as it grows. */
export function MessageText({ item }: { item: TranscriptItem }): JSX.Element {
  const { botProfile } = useWidget().conversation
  const Markdown = useMarkdown(item.format === 'markdown' && item.author !== 'visitor')
  const isStreaming = typeof item.text !== 'string'
  const text = typeof item.text === 'string' ? item.text : item.text.value
  if (!Markdown) return <>{withLinks(text)}</>
  return <Markdown text={text} images={!!botProfile.profile.value?.images} isStreaming={isStreaming} />
}
