import type { Chunks } from './chunks.ts'

type ImportFile = (url: string) => Promise<unknown>

/** Loads the chunks from URLs relative to the script's. */
export function createScriptChunks(src: string, files: Record<keyof Chunks, string>, importModule: ImportFile): Chunks {
  // All scripts of the page and their chunks (`build/retriedImports.ts`) share one function, so that a file exists once,
  // also after it had to be fetched from its second address.
  const functions = window as unknown as Record<symbol, ImportFile>
  const key = Symbol.for('natter.import')
  const importFile = functions[key] || createImport(importModule)
  functions[key] = importFile
  const load = (chunk: keyof Chunks) => () => importFile(new URL(files[chunk], src).href) as Promise<never>
  return {
    core: load('core'),
    panel: load('panel'),
    displayMode: load('displayMode'),
    diagnostics: load('diagnostics'),
  }
}

/** Some browsers remember a failed import by its URL, so each file has a second address. A failure may be tried again. */
function createImport(importModule: ImportFile): ImportFile {
  const modules: Record<string, Promise<unknown>> = {}
  return url =>
    (modules[url] ||= importModule(url)
      .catch(() => importModule(`${url}?${Date.now()}`))
      .catch(cause => {
        delete modules[url]
        throw cause
      }))
}
