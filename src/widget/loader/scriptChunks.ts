import type { Chunks } from './chunks.ts'

/** Loads the chunks from URLs relative to the script's. */
export function createScriptChunks(
  src: string,
  files: Record<keyof Chunks, string>,
  importModule: (url: string) => Promise<unknown>,
): Chunks {
  // Some browsers cache a failed import by its URL, so the next attempt adds a query. Imports inside of chunks have no
  // query, so after a retry core and panel still share one copy of the signals. No chunk may import core or panel: that
  // would load a second copy of it.
  const load = (chunk: keyof Chunks) => {
    let failures = 0
    return (): Promise<never> =>
      importModule(new URL(files[chunk] + (failures ? `?${failures}` : ''), src).href).catch(cause => {
        failures++
        throw cause
      }) as Promise<never>
  }
  return {
    core: load('core'),
    panel: load('panel'),
    displayMode: load('displayMode'),
    diagnostics: load('diagnostics'),
  }
}
