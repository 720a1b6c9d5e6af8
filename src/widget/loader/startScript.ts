import type { Chunks } from './chunks.ts'
import { replayQueuedCalls } from './commandQueue.ts'
import { createHandle } from './createHandle.ts'
import { getFromDocument } from './documentAccess.ts'
import { isSupported } from './inertHandle.ts'
import type { WidgetHandle } from './widgetHandle.ts'

declare global {
  interface Window {
    Natter: WidgetHandle
  }
}

/** Does what the script's own tag says: puts a widget on the page, or, without a bot's id, defines `<natter-chat>`. */
export function startScript(createChunks: (src: string) => Chunks): void {
  const tag = getFromDocument('currentScript') as HTMLScriptElement | null
  if (!tag) console.warn('Natter: remove type="module"')
  if (!tag || !isSupported()) return
  const { src, dataset } = tag
  const { botId } = dataset
  const chunks = createChunks(src)
  const inputs = { chunks, source: 'script', baseUrl: new URL(src).origin } as const
  if (botId) startWidget(botId, onDestroy => createHandle(dataset, { ...inputs, onDestroy }))
  else void chunks.displayMode().then(({ defineNatterChat }) => defineNatterChat({ ...inputs, createHandle, dataset }))
}

/** One widget for each bot: the tag may be there twice, from another version too, or run again in a replaced body. */
function startWidget(botId: string, create: (onDestroy: () => void) => WidgetHandle): void {
  // An element of the page with that id is a global, too.
  const queueing = Object(window.Natter) as Partial<WidgetHandle> & { q?: unknown }
  const handles = window as unknown as Record<symbol, WidgetHandle | undefined>
  const key = Symbol.for(`natter:${botId}`)
  const onDestroy = () => {
    if (window.Natter === handles[key]) Reflect.deleteProperty(window, 'Natter')
    delete handles[key]
  }
  const handle = handles[key] || create(onDestroy)
  handles[key] = handle
  // Of several widgets the first is `window.Natter`. If the page has a read-only global of that name, the widget works
  // without one.
  if (!queueing.toggle || queueing.q) Reflect.set(window, 'Natter', handle)
  replayQueuedCalls(handle, queueing.q)
}
