import type { Chunks } from './chunks.ts'

/** Fetches the chunks from beside the script. `files` are their addresses relative to it. */
export function createScriptChunks(
  src: string,
  files: Record<keyof Chunks, string>,
  importModule: (url: string) => Promise<unknown>,
): Chunks {
  // Some browsers remember a failed import by its address, so the next attempt has another query. What chunks import
  // themselves has none: however often core and panel are tried, both get the signals from one address, so there is only
  // one copy of them. (No chunk may therefore import core or panel.)
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
