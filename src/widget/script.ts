import { type ChunkFiles, createScriptChunks } from './loader/chunks.ts'
import { startScript } from './loader/startScript.ts'

/** The addresses of the chunks, relative to the script's own. The build replaces this. */
declare const __CHUNK_FILES__: ChunkFiles

startScript(src => createScriptChunks(src, __CHUNK_FILES__, url => import(/* @vite-ignore */ url)))
