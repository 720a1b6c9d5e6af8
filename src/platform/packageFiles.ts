import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the package. This code runs from src, from dist, and from a chunk below dist. */
const root = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
})()

/** The package's version. */
export const version: string = ((): string => {
  const { version = '0.0.0' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version?: string }
  return version
})()

/** Reads a built file by its path below `dist`; `null` if there is none. */
export type ReadBuiltFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>

export const readBuiltFile: ReadBuiltFile = path => readFile(join(root, 'dist', path)).catch(() => null)
