import { startScript } from './global.ts'
import type { Stages } from './handle.ts'

/** Addresses of the later stages, relative to the script's own; set by the build. */
declare const __STAGES__: Record<keyof Stages, string>

startScript(createStages)

/**
 * Some browsers remember a failed import by its address. Core is tried again from the folder spelled otherwise, so that
 * the panel, which imports core by its name in the same folder, gets the very same one; the others under another query.
 */
function createStages(src: string): Stages {
  const files = __STAGES__
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
  return { core: stage(files.core), panel: stage(files.panel), placement: stage(files.placement) }
}
