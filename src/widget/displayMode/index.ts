import type { WidgetHandle } from '../loader/createHandle.ts'
import type { Launcher } from '../loader/launcher.ts'
import type { WidgetOptions } from '../loader/options.ts'
import { fillTarget } from './inline.ts'
import { serveLaunchers } from './launchers.ts'

export { defineNatterChat } from '../loader/natterChat.ts'

/**
 * Puts the widget where the site wants it: the chat into `target`, the launcher's work into the site's own elements. What
 * can't be done is reported to the page's console, and the widget is where it is for everybody.
 */
export async function place(handle: WidgetHandle, launcher: Launcher, options: WidgetOptions): Promise<void> {
  const { mode, target, launcher: selector } = options
  const { destroy } = handle
  const end = new AbortController()
  const abortSignal = end.signal
  handle.destroy = () => {
    end.abort()
    destroy()
  }
  try {
    if (selector) abortSignal.addEventListener('abort', serveLaunchers(handle, launcher, selector))
    if (mode === 'inline') await fillTarget(handle, launcher, target, abortSignal)
  } catch (cause) {
    reportError(cause)
  }
}
