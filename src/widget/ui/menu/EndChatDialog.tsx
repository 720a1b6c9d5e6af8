import type { JSX } from 'preact'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { useFocusFirstButton } from './useFocusFirstButton.ts'

/** Asks whether the chat is to be ended after all, in a sheet over the rest of the panel. */
export function EndChatDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { session } = useWidget()
  const strings = useStrings()
  const endChat = () => {
    onClose()
    void session.logout()
  }
  return (
    // A press beside the buttons leaves the focus where it is: without it the menu, and with it the question, would close.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus.
    <div class="scrim" onMouseDown={event => event.preventDefault()}>
      <div
        class="sheet"
        role="alertdialog"
        aria-labelledby="end-chat-title"
        aria-describedby="end-chat-text"
        ref={useFocusFirstButton()}
      >
        <h3 id="end-chat-title">{strings.endChatAsk}</h3>
        <p id="end-chat-text">{strings.endChatHint}</p>
        <div>
          {/* tabIndex: Safari focuses a clicked button only with one. */}
          <button type="button" tabIndex={0} onClick={onClose}>
            {strings.cancel}
          </button>
          <button type="button" tabIndex={0} onClick={endChat}>
            {strings.endChat}
          </button>
        </div>
      </div>
    </div>
  )
}
