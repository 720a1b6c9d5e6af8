import type { Page } from '@playwright/test'

/** What is at work in the page: each entry names one listener, timer, lock, channel, request, connection or observer. */
export const remains = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as never as { remains(): Promise<string[]> }).remains())

/** Notes from now on, on every page of the tab, what is begun and not ended; to be called before the first page. */
export const countRemains = (page: Page): Promise<unknown> => page.addInitScript(install)

function install() {
  const begun = new Map<unknown, string>()
  const keysOf = new WeakMap<object, Map<string, object>>()
  const begin = (key: unknown, name: string) => begun.set(key, name)

  /** One key for each target, event, listener and phase: a browser, too, adds the same one once. */
  const keyOf = (target: EventTarget, type: string, listener: object, options?: AddEventListenerOptions | boolean) => {
    const capture = typeof options === 'object' ? options.capture : options
    const keys = keysOf.get(listener) ?? new Map<string, object>()
    keysOf.set(listener, keys)
    const name = `${type} ${Boolean(capture)} ${numberOf(target)}`
    const key = keys.get(name) ?? { target }
    keys.set(name, key)
    return key
  }
  const numbers = new WeakMap<object, number>()
  let last = 0
  const numberOf = (target: object) => {
    if (!numbers.has(target)) numbers.set(target, ++last)
    return numbers.get(target)
  }
  const { addEventListener, removeEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    const target = this ?? window
    if (listener) {
      const key = keyOf(target, type, listener, options)
      begin(key, `${type} of ${target.constructor.name}`)
      if (typeof options === 'object') {
        if (options.signal) addEventListener.call(options.signal, 'abort', () => begun.delete(key))
        if (options.once) addEventListener.call(target, type, () => begun.delete(key), { once: true })
      }
    }
    addEventListener.call(target, type, listener, options)
  }
  EventTarget.prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    const target = this ?? window
    if (listener) begun.delete(keyOf(target, type, listener, options))
    removeEventListener.call(target, type, listener, options)
  }

  for (const [set, clear, repeats] of [
    ['setTimeout', 'clearTimeout', false],
    ['setInterval', 'clearInterval', true],
    ['requestAnimationFrame', 'cancelAnimationFrame', false],
  ] as const) {
    const host = window as never as Record<string, (...words: unknown[]) => unknown>
    const native = host[set] as (...words: unknown[]) => unknown
    const undo = host[clear] as (...words: unknown[]) => unknown
    host[set] = (fn, ...words) => {
      const id = native(
        (...given: unknown[]) => {
          if (!repeats) begun.delete(`${set} ${id}`)
          ;(fn as (...given: unknown[]) => void)(...given)
        },
        ...words,
      )
      begin(`${set} ${id}`, set)
      return id
    }
    host[clear] = id => {
      begun.delete(`${set} ${id}`)
      undo(id)
    }
  }

  for (const [name, undo] of [
    ['ResizeObserver', 'disconnect'],
    ['MutationObserver', 'disconnect'],
    ['IntersectionObserver', 'disconnect'],
    ['BroadcastChannel', 'close'],
    ['AudioContext', 'close'],
  ] as const) {
    const host = window as never as Record<string, new (...words: unknown[]) => Record<string, () => unknown>>
    const Native = host[name] as new (...words: unknown[]) => Record<string, () => unknown>
    host[name] = class extends Native {
      constructor(...words: unknown[]) {
        super(...words)
        begin(this, name)
      }
      [undo]() {
        begun.delete(this)
        return super[undo]?.()
      }
    }
  }

  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function (...words) {
    const request = open.apply(this, words)
    addEventListener.call(request, 'success', () => begin(request.result, 'connection to IndexedDB'))
    return request
  }
  const { close } = IDBDatabase.prototype
  IDBDatabase.prototype.close = function () {
    begun.delete(this)
    close.call(this)
  }

  // The widget ends each of its requests by its signal, also when all of the answer has been read.
  const requests: RequestInit[] = []
  const { fetch } = window
  window.fetch = (address, init) => {
    requests.push(init ?? {})
    return fetch(address, init)
  }

  const atWork = ({ target }: { target?: EventTarget }) =>
    // What nobody can reach any more goes by itself, with its listeners.
    !(target instanceof AbortSignal || target?.constructor.name.startsWith('IDB')) &&
    !(target instanceof Node && !target.isConnected)
  Object.assign(window, {
    async remains() {
      const { held = [], pending = [] } = await navigator.locks.query()
      return [
        ...[...begun].flatMap(([key, name]) => (atWork(Object(key)) ? [name] : [])),
        ...[...held, ...pending].map(({ name }) => `lock ${name}`),
        ...requests.flatMap(({ signal }) => (signal?.aborted ? [] : ['request'])),
      ].sort()
    },
  })
}
