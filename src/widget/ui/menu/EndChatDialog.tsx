import type { JSX } from 'preact'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { useButtonFocus } from './useButtonFocus.ts'

/** Asks the visitor to confirm that the chat should end. */
export function EndChatDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { session } = useWidget()
  const strings = useStrings()
  const endChat = () => {
    onClose()
    void session.logout()
  }
  return (
    <div class="menu" role="alertdialog" aria-label={strings.endChatAsk} ref={useButtonFocus()}>
      <p>{strings.endChatAsk}</p>
      {/* Cancel is in the place where "End chat" was in the menu, so that a double click there doesn't end the chat. */}
      <button type="button" class="item" onClick={onClose}>
        {strings.cancel}
      </button>
      <button type="button" class="item" onClick={endChat}>
        {strings.endChat}
      </button>
    </div>
  )
}
