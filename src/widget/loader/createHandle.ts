import type { Chunks } from './chunks.ts'
import { createEmitter } from './events.ts'
import type { WidgetOptions } from './options.ts'
import { pageLocale } from './pageLocale.ts'
import { parseOptions } from './parseOptions.ts'
import { createReporter, type OptionSource } from './problems.ts'
import { createWaitingMessages } from './waitingMessages.ts'
import { watchDocument } from './watchDocument.ts'
import type { WidgetHandle } from './widgetHandle.ts'
import { createInstance } from './widgetInstance.ts'

/** What a widget needs besides the site's options. */
export interface HandleInputs {
  chunks: Chunks
  source: OptionSource
  /** The platform's address, if the options contain none. */
  baseUrl?: string
  /** Called once, after the page has destroyed the widget. */
  onDestroy?(): void
}

/** Puts a widget on the page. If the page replaces its document, a new instance is created behind the same handle. */
export function createHandle(given: object, { chunks, source, baseUrl, onDestroy }: HandleInputs): WidgetHandle {
  const report = createReporter(chunks.diagnostics, source, (given as Partial<WidgetOptions>).baseUrl || baseUrl)
  const options = parseOptions(given as Record<string, unknown>, source, report, baseUrl)
  const { on, off, emit, clear } = createEmitter()
  const ready = new Promise<void>(resolve => on('ready', resolve))
  const settings = {
    options,
    locale: options.locale || pageLocale(),
    isHidden: false,
    lastToken: null,
    context: { attributes: {}, contactId: null },
    waitingMessages: createWaitingMessages(options),
    chunks,
    emit,
    report,
  }
  let instance = createInstance(settings)
  let isDestroyed = false

  const stopWatching = watchDocument(
    () => instance.attach(),
    () => {
      // All listeners are lost with the old document, including Preact's, so start over as on a page load.
      instance.destroy()
      instance = createInstance(settings)
    },
  )

  return {
    get auth() {
      return instance.auth
    },
    open: () => instance.open(),
    close: () => instance.close(),
    toggle: () => instance.toggle(),
    show: () => instance.show(),
    hide: () => instance.hide(),
    preload: () => instance.preload(),
    message: message => instance.message(message),
    setContext: context => instance.setContext(context),
    setLocale: tag => instance.setLocale(tag),
    on,
    off,
    ready,
    destroy() {
      if (isDestroyed) return
      isDestroyed = true
      stopWatching()
      instance.destroy()
      clear()
      if (onDestroy) onDestroy()
    },
  }
}
