import type { JSX } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { Markdown } from '../../widget/markdown/index.ts'
import { linkify } from '../../widget/ui/links.tsx'
import { useConversationTexts } from './ConversationContext.ts'

interface MessageTextProps {
  text: string
  isMarkdown: boolean
}

/** The text of a message. If its Markdown can't be rendered, its source is shown. */
export function MessageText({ text, isMarkdown }: MessageTextProps): JSX.Element {
  const texts = useConversationTexts()
  const [error] = useErrorBoundary(cause => console.error('Natter could not render a message:', cause))
  if (error) return <span>{text}</span>
  if (!isMarkdown) return <span>{linkify(text)}</span>
  // Pictures of other sites are links: they would tell the site who reads the message.
  return <Markdown text={text} images={false} isStreaming={false} strings={texts.markdown} />
}
