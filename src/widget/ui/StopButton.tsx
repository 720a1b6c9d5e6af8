import type { JSX } from 'preact'
import { IconButton } from './elements.tsx'
import { useStrings } from './WidgetContext.ts'

const squarePath = 'M7.5 7.5h9v9h-9z'

/** Stops the bot's reply. It is in the place of the send button while the bot writes. */
export function StopButton({ onClick }: { onClick: () => void }): JSX.Element {
  return (
    <IconButton
      label={useStrings().stop}
      path={squarePath}
      class="icon send stop"
      onClick={onClick}
      // Keeps the focus in the field, as with the send button.
      onMouseDown={event => event.preventDefault()}
    />
  )
}
