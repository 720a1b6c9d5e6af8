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
      // Keeps the focus in the field. Otherwise the keyboard of a phone closes after every message.
      onMouseDown={event => event.preventDefault()}
    />
  )
}
