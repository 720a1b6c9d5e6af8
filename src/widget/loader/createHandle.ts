import type { Chunks } from './chunks.ts'
import { createEmitter } from './events.ts'
import { pageLocale } from './pageLocale.ts'
import { parseOptions } from './parseOptions.ts'
import { createReporter, type OptionSource } from './problems.ts'
import { watchDocument } from './watchDocument.ts'
import type { WidgetHandle } from './widgetHandle.ts'
import { createInstance } from './widgetInstance.ts'

/** How a widget is made, beside the options of the site. */
export interface HandleInputs {
  chunks: Chunks
  source: OptionSource
  /** Where the platform is unless the site says otherwise. */
  baseUrl?: string
  /** Called once, when the page has destroyed the widget. */
  onDestroy?(): void
}

/** Puts a widget on the page. The handle stays, while the instance behind it is replaced together with the page's document. */
export function createHandle(given: object, { chunks, source, baseUrl, onDestroy }: HandleInputs): WidgetHandle {
  const report = createReporter(chunks.diagnostics, source)
  const options = parseOptions(given as Record<string, unknown>, source, report, baseUrl)
  const { on, off, emit, clear } = createEmitter()
  const ready = new Promise<void>(resolve => on('ready', resolve))
  const context = { attributes: {}, contactId: null }
  const settings = { options, locale: options.locale || pageLocale(), isHidden: false, context, chunks, emit, report }
  let instance = createInstance(settings)
  let isDestroyed = false

  const stopWatching = watchDocument(
    () => instance.attach(),
    () => {
      // With the old document all listeners are gone, of Preact's elements too: begin again, as on a page load.
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
