import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws if a file's folder is missing: creating it would hide a misspelled path. */
export function requireFolderOf(file: string): void {
  if (kindOf(dirname(file)) === null)
    throw new Error(`There is no folder ${dirname(file)}: make it, or name a file elsewhere.`)
}

/** Throws if the path is a folder. */
export function refuseFolder(file: string): void {
  if (kindOf(file) === 'folder') throw new Error(`${file} is a folder: name a file.`)
}

function kindOf(path: string): 'file' | 'folder' | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return null
  return found.isDirectory() ? 'folder' : 'file'
}
