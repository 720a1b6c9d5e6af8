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
  const { botId } = dataset
  if (!botId) throw new TypeError("Natter's script needs data-bot-id, from `natter bot list`")
  const early: unknown = window.Natter
  // The script is there twice: the first one serves.
  if (document.querySelector(`[data-natter="${CSS.escape(botId)}"]`)) return

  // Attributes are options by their names; what a number should be is made one where it is used.
  const options = { ...dataset, botId, baseUrl: dataset['baseUrl'] || new URL(src).origin } as WidgetOptions & {
    baseUrl: string
  }
  const handle = createHandle(options, createStages(src))
  const { destroy } = handle
  handle.destroy = () => {
    destroy()
    if (window.Natter === handle) Reflect.deleteProperty(window, 'Natter')
  }
  // Where the page has a read-only `Natter` of its own, the widget works without.
  Reflect.set(window, 'Natter', handle)
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
    const spelled = file.replace(/\w(?=.*\/)/g, (letter, at: number) =>
      (coreFailures >> at) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
    )
    return new URL(spelled, src).href
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
