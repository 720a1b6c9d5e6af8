import { answerCalls } from './calls.ts'
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
  answerCalls(handle, early)
}

/**
 * Some browsers remember a failed import by its address. Core is tried again from the folder spelled otherwise, so that
 * the panel, which imports core by its name in the same folder, gets the very same one; the panel under another query.
 */
function createStages(src: string): Stages {
  const files = __STAGES__
  let coreFailures = 0
  let panelFailures = 0
  const address = (file: string) => {
    const at = (coreFailures - 1) % file.indexOf('/')
    return new URL(
      coreFailures ? `${file.slice(0, at)}%${file.charCodeAt(at).toString(16)}${file.slice(at + 1)}` : file,
      src,
    ).href
  }
  return {
    core: () =>
      import(/* @vite-ignore */ address(files.core)).catch(cause => {
        coreFailures++
        throw cause
      }),
    panel: () =>
      import(/* @vite-ignore */ `${address(files.panel)}${panelFailures ? `?${panelFailures}` : ''}`).catch(cause => {
        panelFailures++
        throw cause
      }),
  }
}
