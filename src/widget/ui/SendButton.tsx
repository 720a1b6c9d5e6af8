import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { IconButton } from './elements.tsx'
import { useStrings } from './WidgetContext.ts'

const upPath = 'M12 19V5M6 11l6-6 6 6'

/** A click this soon after the button has replaced another one was meant for that one. */
const reactionTimeMs = 500

interface SendButtonProps {
  disabled: boolean
  /** Whether it has replaced the stop button. */
  replacesStop?: boolean
}

/** Submits the form around it. */
export function SendButton({ disabled, replacesStop = false }: SendButtonProps): JSX.Element {
  const shownAt = useRef(performance.now())
  return (
    <IconButton
      type="submit"
      label={useStrings().send}
      path={upPath}
      class="icon send"
      disabled={disabled}
      onClick={event => {
        // A click by keyboard has no detail: the focus does not move to this button by itself.
        if (event.detail && replacesStop && performance.now() - shownAt.current < reactionTimeMs) event.preventDefault()
      }}
      // Keeps the focus in the field. Otherwise the keyboard of a phone closes after every message.
      onMouseDown={event => event.preventDefault()}
    />
  )
}
