import type { Page } from '@playwright/test'

/** What is still active in the page: each entry names one listener, timer, lock, channel, request, connection or observer. */
export const activeResources = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as never as { activeResources(): Promise<string[]> }).activeResources())

/** Starts recording, on every page of the tab, what is started and not stopped. Call it before the first page is opened. */
export const trackActiveResources = (page: Page): Promise<unknown> => page.addInitScript(install)

function install() {
  const active = new Map<unknown, string>()
  const keysOf = new WeakMap<object, Map<string, object>>()
  const begin = (key: unknown, name: string) => active.set(key, name)

  /** One key for each target, event, listener and phase: the browser also ignores a second identical listener. */
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
    // With an aborted signal, browsers add no listener.
    if (listener && !(typeof options === 'object' && options.signal?.aborted)) {
      const key = keyOf(target, type, listener, options)
      begin(key, `${type} of ${target.constructor.name}`)
      if (typeof options === 'object') {
        if (options.signal) addEventListener.call(options.signal, 'abort', () => active.delete(key))
        if (options.once) addEventListener.call(target, type, () => active.delete(key), { once: true })
      }
    }
    addEventListener.call(target, type, listener, options)
  }
  EventTarget.prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    const target = this ?? window
    if (listener) active.delete(keyOf(target, type, listener, options))
    removeEventListener.call(target, type, listener, options)
  }

  for (const [set, clear, repeats] of [
    ['setTimeout', 'clearTimeout', false],
    ['setInterval', 'clearInterval', true],
    ['requestAnimationFrame', 'cancelAnimationFrame', false],
  ] as const) {
    const host = window as never as Record<string, (...args: unknown[]) => unknown>
    const native = host[set] as (...args: unknown[]) => unknown
    const undo = host[clear] as (...args: unknown[]) => unknown
    host[set] = (callback, ...args) => {
      const id = native(
        (...args: unknown[]) => {
          if (!repeats) active.delete(`${set} ${id}`)
          ;(callback as (...args: unknown[]) => void)(...args)
        },
        ...args,
      )
      begin(`${set} ${id}`, set)
      return id
    }
    host[clear] = id => {
      active.delete(`${set} ${id}`)
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
    const host = window as never as Record<string, new (...args: unknown[]) => Record<string, () => unknown>>
    const Native = host[name] as new (...args: unknown[]) => Record<string, () => unknown>
    host[name] = class extends Native {
      constructor(...args: unknown[]) {
        super(...args)
        begin(this, name)
      }
      [undo]() {
        active.delete(this)
        return super[undo]?.()
      }
    }
  }

  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function (...args) {
    const request = open.apply(this, args)
    addEventListener.call(request, 'success', () => begin(request.result, 'connection to IndexedDB'))
    return request
  }
  const { close } = IDBDatabase.prototype
  IDBDatabase.prototype.close = function () {
    active.delete(this)
    close.call(this)
  }

  // The widget aborts the signal of each of its requests, even after it has read the whole response.
  const requests: RequestInit[] = []
  const { fetch } = window
  window.fetch = (address, init) => {
    requests.push(init ?? {})
    return fetch(address, init)
  }

  const isReachable = ({ target }: { target?: EventTarget }) =>
    // Targets that nothing references any more are collected together with their listeners.
    !(target instanceof AbortSignal || target?.constructor.name.startsWith('IDB')) &&
    !(target instanceof Node && !target.isConnected)
  Object.assign(window, {
    async activeResources() {
      const { held = [], pending = [] } = await navigator.locks.query()
      return [
        ...[...active].flatMap(([key, name]) => (isReachable(Object(key)) ? [name] : [])),
        ...[...held, ...pending].map(({ name }) => `lock ${name}`),
        ...requests.flatMap(({ signal }) => (signal?.aborted ? [] : ['request'])),
      ].sort()
    },
  })
}
