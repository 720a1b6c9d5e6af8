import type { Chunks } from './loader/chunks.ts'
import { createScriptChunks } from './loader/scriptChunks.ts'
import { startScript } from './loader/startScript.ts'

/** The addresses of the chunks, relative to the script's own. The build replaces this. */
declare const __CHUNK_FILES__: Record<keyof Chunks, string>

startScript(src => createScriptChunks(src, __CHUNK_FILES__, url => import(/* @vite-ignore */ url)))
