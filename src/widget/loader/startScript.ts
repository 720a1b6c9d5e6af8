import type { Chunks } from './chunks.ts'
import { createHandle } from './createHandle.ts'
import { isPersistenceValid } from './options.ts'
import { optionNames } from './parseOptions.ts'
import { createReporter } from './problems.ts'
import { isSupported, type WidgetHandle } from './widgetHandle.ts'

declare global {
  interface Window {
    Natter: WidgetHandle
  }
}

/** Reads the script's own tag. With a bot id it creates a widget, without one it defines `<natter-chat>`. */
export function startScript(createChunks: (src: string) => Chunks): void {
  const tag = document.currentScript as HTMLScriptElement | null
  if (!tag) console.warn('Natter: remove type="module", and do not evaluate the script')
  if (!tag || !isSupported()) return
  const { src, dataset } = tag
  const { botId, persist, baseUrl: given } = dataset
  // An inlined script and a blob have no address by which to find the platform.
  const address = /^http/.test(src) ? src : given && new URL(`${given}/`, location.href).href
  if (!address) console.warn('Natter: this script needs data-base-url')
  if (!address) return
  const chunks = createChunks(address)
  const baseUrl = new URL(address).origin
  if (!botId) void defineElement(chunks, baseUrl)
  else if (isPersistenceValid(persist))
    startWidget(botId, onDestroy => createHandle(dataset, { chunks, baseUrl, onDestroy }))
  else createReporter(baseUrl)('The option `persist` has a wrong value')
}

async function defineElement(chunks: Chunks, baseUrl: string): Promise<void> {
  const { defineNatterChat } = await chunks.displayMode()
  defineNatterChat({
    createWidget: (options, onDestroy) => createHandle(options, { chunks, baseUrl, onDestroy }),
    optionNames,
    baseUrl,
  })
}

/**
 * Creates one widget per bot. The page may contain the tag twice, even of different versions, or run it again in a new
 * body.
 */
function startWidget(botId: string, create: (onDestroy: () => void) => WidgetHandle): void {
  // An element with the id `Natter` is a global variable, too.
  const queueing = Object(window.Natter) as Partial<WidgetHandle> & { q?: unknown }
  const handles = window as unknown as Record<symbol, WidgetHandle | undefined>
  const key = Symbol.for(`natter:${botId}`)
  const onDestroy = () => {
    if (window.Natter === handles[key]) Reflect.deleteProperty(window, 'Natter')
    delete handles[key]
  }
  const handle = handles[key] || create(onDestroy)
  handles[key] = handle
  // The first of several widgets is `window.Natter`. If the page has a read-only global with that name, the widget works
  // without it.
  if (!queueing.toggle || queueing.q) Reflect.set(window, 'Natter', handle)
  replayQueuedCalls(handle, queueing.q)
}

/** A call that a page made before the script was loaded, in the format of the README's snippet. */
type QueuedCall = [name: string, args: unknown[], resolve: (result: unknown) => void, reject: (cause: unknown) => void]

/**
 * Makes the queued calls in order. Later calls are made as soon as they are queued, because a page may keep references to
 * the snippet's functions. `queue` may be any value, because an element of the page can have that name.
 */
export function replayQueuedCalls(target: object, queue: unknown): void {
  if (!Array.isArray(queue)) return
  // Async, so that an invalid entry causes a rejection and doesn't stop the entries after it.
  const replay = async ([name, args, resolve, reject]: QueuedCall) => {
    const call = async () => {
      let member: unknown = target
      for (const key of name.split('.')) member = (member as Record<string, unknown>)[key]
      return (member as (...args: unknown[]) => unknown)(...args)
    }
    call().then(resolve, reject)
  }
  queue.forEach(replay)
  // Defined, not assigned: assigning fails where the page has frozen Array.prototype.
  Object.defineProperty(queue, 'push', { value: replay })
}
