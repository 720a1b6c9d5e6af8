import { createHandle, type Stages, type WidgetHandle } from './handle.ts'
import { isSupported } from './inert.ts'
import type { WidgetOptions } from './options.ts'

/** Addresses of the later stages, relative to the script's own; set by the build. */
declare const __STAGES__: { core: string; panel: string }

declare global {
  interface Window {
    Natter: WidgetHandle
  }
}

/** A call made before the script was there: `['auth.contacts.login', [{ token }], resolve, reject]`. */
type EarlyCall = [name: string, words: unknown[], resolve: (result: unknown) => void, reject: (cause: unknown) => void]

const script = document.currentScript as HTMLScriptElement | null

if (script && isSupported()) start(script)

function start({ src, dataset }: HTMLScriptElement): void {
  const { botId, theme, position, offset, zIndex, accent } = dataset
  if (!botId) throw new TypeError("Natter's script needs data-bot-id, the bot's id from `natter bot list`")
  const early: unknown = window.Natter
  // The script is there twice: the first one serves.
  for (const host of document.querySelectorAll<HTMLElement>('[data-natter]'))
    if (host.dataset['natter'] === botId) return

  const options: WidgetOptions & { baseUrl: string } = { botId, baseUrl: dataset['baseUrl'] || new URL(src).origin }
  Object.assign(options, { theme, position, offset, zIndex, accent })
  const handle = createHandle(options, createStages(src))
  const { destroy } = handle
  handle.destroy = () => {
    destroy()
    if (window.Natter === handle) Reflect.deleteProperty(window, 'Natter')
  }
  // Where the page has a read-only `Natter` of its own, the widget works without.
  Reflect.defineProperty(window, 'Natter', { value: handle, configurable: true, writable: true })
  answer(handle, early)
}

function createStages(src: string): Stages {
  const load = (file: string, tries: number) => {
    const url = new URL(file, src)
    // Browsers remember a failed import for good, by its address.
    if (tries) url.search = `${tries}`
    return import(/* @vite-ignore */ url.href)
  }
  const keep = <T>(file: string): (() => Promise<T>) => {
    let tries = 0
    let loaded: Promise<T> | undefined
    return () =>
      (loaded ||= load(file, tries++).catch(cause => {
        loaded = undefined
        throw cause
      }))
  }
  return { core: keep(__STAGES__.core), panel: keep(__STAGES__.panel) }
}

/** Makes the calls that the page's snippet has kept in `Natter.q`. */
function answer(handle: WidgetHandle, early: unknown): void {
  // A page's element with the id Natter is also `window.Natter`.
  const calls = (early as { q?: unknown } | null | undefined)?.q
  if (!Array.isArray(calls)) return
  for (const [name, words, resolve, reject] of calls as EarlyCall[]) {
    Promise.resolve(
      name.split('.').reduce<unknown>((target, key) => {
        const member = (target as Record<string, unknown>)[key]
        return typeof member === 'function' ? member(...words) : member
      }, handle),
    ).then(resolve, reject)
  }
}
