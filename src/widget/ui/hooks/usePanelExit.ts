import type { RefObject } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import { LazyPartsContext } from '../LazyPartsContext.ts'
import { useWidget } from '../WidgetContext.ts'

/**
 * Lets the panel move out when the visitor or the page closes it, unless the session has changed since it was rendered. The
 * code for that comes with the transcript.
 */
export function usePanelExit(dialog: RefObject<HTMLElement | null>, isInline: boolean): void {
  const { session, signIn, panel } = useWidget()
  const startExit = useContext(LazyPartsContext)?.transcript.part.value?.startExit
  /** Whose conversation is shown, and whether it is hidden. */
  const readShown = () => `${session.scopeKey.value} ${signIn.isViewHidden.value}`
  const rendered = useRef('')
  rendered.current = readShown()
  useLayoutEffect(
    () => () => {
      const shown = rendered.current
      // The panel is also removed while it is open: after an error, and when the widget is destroyed.
      const canStay = () => !panel.isOpen.value && readShown() === shown
      if (startExit && !isInline && dialog.current) startExit(dialog.current, canStay)
    },
    [startExit],
  )
}
