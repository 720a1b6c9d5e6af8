import type { Chunks } from './loader/createHandle.ts'
import { startScript } from './loader/startScript.ts'

/** The addresses of the chunks, relative to the script's own; the build sets them. */
declare const __CHUNK_FILES__: Record<keyof Chunks, string>

startScript(createChunks)

/**
 * Some browsers remember a failed import by its address. Core is tried again from the folder spelled otherwise, so that
 * the panel, which imports core by its name in the same folder, gets the very same one; the others under another query.
 */
function createChunks(src: string): Chunks {
  const files = __CHUNK_FILES__
  let coreFailures = 0
  let failures = 0
  const stage = (file: string) => () => {
    let at = 0
    const spelled = file.replace(/\w(?=.*\/)/g, letter =>
      (coreFailures >> at++) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
    )
    const isCore = file === files.core
    return import(/* @vite-ignore */ new URL(isCore || !failures ? spelled : `${spelled}?${failures}`, src).href).catch(
      cause => {
        if (isCore) coreFailures++
        else failures++
        throw cause
      },
    )
  }
  return { core: stage(files.core), panel: stage(files.panel), displayMode: stage(files.displayMode) }
}
