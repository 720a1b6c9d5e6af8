import { replayQueuedCalls } from './commandQueue.ts'
import { type Chunks, createHandle, type WidgetHandle } from './createHandle.ts'
import { isSupported } from './inertHandle.ts'
import type { WidgetOptions } from './options.ts'

declare global {
  interface Window {
    Natter: WidgetHandle
  }
}

/** Does what the script's own tag says: puts a widget on the page, or, without a bot's id, serves `<natter-chat>`. */
export function startScript(createChunks: (src: string) => Chunks): void {
  // From the prototype: in the document itself, an image with that name would say where the chunks come from. Not from
  // `Document.prototype`: MooTools replaces `Document`.
  const script = Reflect.get(Object.getPrototypeOf(document), 'currentScript', document) as HTMLScriptElement | null
  if (!script || !isSupported()) return
  const { src, dataset } = script
  const { botId } = dataset
  const chunks = createChunks(src)
  // Attributes are options by their names; what a number should be is made one where it is used.
  const create = (options: object) =>
    createHandle({ baseUrl: new URL(src).origin, ...options } as WidgetOptions & { baseUrl: string }, chunks)
  if (!botId) {
    void chunks.displayMode().then(({ defineNatterChat }) => defineNatterChat(create))
    return
  }
  // An element of the page with that id is a global, too.
  const early = Object(window.Natter) as Partial<WidgetHandle> & { q?: unknown }
  // The script may be there twice, of another version too, or run again in a body that has taken the old one's place.
  const known = window as unknown as Record<symbol, WidgetHandle>
  const key = Symbol.for(`natter:${botId}`)
  let handle = known[key] as WidgetHandle
  if (handle) handle.show()
  else {
    known[key] = handle = create(dataset)
    const { destroy } = handle
    handle.destroy = () => {
      destroy()
      delete known[key]
      if (window.Natter === handle) Reflect.deleteProperty(window, 'Natter')
    }
  }
  // The first script of several stays the page's `Natter`. Where that is the page's own and read-only, the widget works
  // without.
  if (!early.toggle || early.q) Reflect.set(window, 'Natter', handle)
  replayQueuedCalls(handle, early.q)
}
