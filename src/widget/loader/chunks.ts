import type { App, createApp, finishLogout } from '../app/createApp.ts'
import type { createPlacement, defineNatterChat } from '../displayMode/index.ts'

/** Loads the chunks. Each function may be called several times, also after a failure. */
export interface Chunks {
  core(): Promise<{ createApp: typeof createApp; finishLogout: typeof finishLogout }>
  /** `tags` are the languages of its texts, which are fetched at the same time. */
  panel(tags: string): Promise<{ mountPanel(root: ShadowRoot, app: App, isInline: boolean): () => void }>
  /** Needed for inline mode, the site's own launchers, and `<natter-chat>`. */
  displayMode(): Promise<{ createPlacement: typeof createPlacement; defineNatterChat: typeof defineNatterChat }>
}

type ImportModule = (url: string) => Promise<unknown>
type ImportFile = (file: string, base: string) => Promise<unknown>

/** The addresses of the chunks, relative to the script's own. */
export interface ChunkFiles extends Record<keyof Chunks | 'locales', string> {
  /** What core and panel fetch next. */
  next: readonly string[]
  /** The address of a language's texts, with `*` in place of its name. */
  language: string
  /** The names of the languages, such as `pt-BR`, separated by spaces. */
  languages: string
}

/** Loads the chunks from URLs relative to the script's. */
export function createScriptChunks(src: string, files: ChunkFiles, importModule: ImportModule): Chunks {
  // All scripts of the page and their chunks (`build/retriedImports.ts`) share one function, so that a file exists once,
  // also after it had to be fetched from its second address.
  const functions = window as unknown as Record<symbol, ImportFile>
  const key = Symbol.for('natter.import')
  const importFile = functions[key] || createImport(importModule)
  functions[key] = importFile
  const load = (file: string) => importFile(file, src) as Promise<never>
  return {
    core: () => load(files.core),
    panel(tags) {
      // Fetched at the same time, what comes next needs no further round trip. The language is a guess: `i18n/locales.ts` decides.
      const language = files.languages.split(' ').find(name => name.startsWith(tags.slice(0, 2)))
      const texts = language ? [files.locales, files.language.replace('*', language)] : []
      for (const file of [...files.next, ...texts]) load(file).catch(() => {})
      return load(files.panel)
    },
    displayMode: () => load(files.displayMode),
  }
}

/** Some browsers remember a failed import by its URL, so each file has a second address. A failure may be tried again. */
function createImport(importModule: ImportModule): ImportFile {
  const modules: Record<string, Promise<unknown>> = {}
  return (file, base) => {
    const url = new URL(file, base).href
    modules[url] ||= importModule(url)
      .catch(() => importModule(`${url}?${Date.now()}`))
      .catch(cause => {
        delete modules[url]
        throw cause
      })
    return modules[url]
  }
}
