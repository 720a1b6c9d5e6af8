import type { JSX } from 'preact'
import { TypingDots } from './TypingDots.tsx'
import { useWidget } from './WidgetContext.ts'

/** The line below a reply that streams in. It has dots while nothing comes, and its height never changes. */
export function ReplyPause({ botName }: { botName: string }): JSX.Element {
  const { reply } = useWidget().conversation
  return <div class="meta">{reply.isPaused.value && <TypingDots name={botName} />}</div>
}
