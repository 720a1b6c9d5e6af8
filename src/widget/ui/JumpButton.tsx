import type { JSX } from 'preact'
import { chevronPath } from '../styles/chevronPath.ts'
import { Icon } from './Icon.tsx'
import { LiveText } from './LiveText.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Scrolls to the end of the transcript. */
export function JumpButton({ onClick }: { onClick: () => void }): JSX.Element {
  const strings = useStrings()
  const hasUnread = useWidget().conversation.readState.unread.value > 0
  return (
    <div class="jump-place">
      <button type="button" class="jump" aria-label={hasUnread ? undefined : strings.jumpToLatest} onClick={onClick}>
        <LiveText text={hasUnread && strings.newMessages} />
        <Icon path={chevronPath} />
      </button>
    </div>
  )
}
