import { bundledChunks } from './bundledChunks.ts'
import { startScript } from './loader/startScript.ts'

// The build inlines all chunks into this one file. Nothing is fetched later, so one integrity hash covers everything.
startScript(() => bundledChunks)
