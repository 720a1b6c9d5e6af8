import type { JSX } from 'preact'
import { IconButton } from './IconButton.tsx'
import { useStrings } from './WidgetContext.ts'

const upPath = 'M12 19V5M6 11l6-6 6 6'

/** Submits the form around it. */
export function SendButton({ disabled }: { disabled: boolean }): JSX.Element {
  return (
    <IconButton
      type="submit"
      label={useStrings().send}
      path={upPath}
      class="icon send"
      disabled={disabled}
      // Otherwise a tap takes the focus from the field, and a phone's keyboard closes after every message.
      onMouseDown={event => event.preventDefault()}
    />
  )
}
