import type { JSX } from 'preact'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { useButtonFocus } from './useButtonFocus.ts'

/** Asks the visitor to confirm that the chat should end, in a sheet over the rest of the panel. */
export function EndChatDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { session } = useWidget()
  const strings = useStrings()
  const endChat = () => {
    onClose()
    void session.logout()
  }
  return (
    // A press beside the buttons must not take the focus: when the menu loses it, the question closes.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus.
    <div class="scrim" onMouseDown={event => event.preventDefault()}>
      <div
        class="sheet"
        role="alertdialog"
        aria-labelledby="end-chat-title"
        aria-describedby="end-chat-text"
        ref={useButtonFocus()}
      >
        <h3 id="end-chat-title">{strings.endChatAsk}</h3>
        <p id="end-chat-text">{strings.endChatHint}</p>
        <div>
          <button type="button" onClick={onClose}>
            {strings.cancel}
          </button>
          <button type="button" onClick={endChat}>
            {strings.endChat}
          </button>
        </div>
      </div>
    </div>
  )
}
