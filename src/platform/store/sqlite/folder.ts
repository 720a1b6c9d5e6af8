import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws where a file's folder is missing: one made for a misspelt path would hide the mistake. */
export function requireFolderOf(file: string): void {
  if (kindOf(dirname(file)) === null)
    throw new Error(`There is no folder ${dirname(file)}: make it, or name a file elsewhere.`)
}

/** Throws where a folder stands at the place of a file. */
export function refuseFolder(file: string): void {
  if (kindOf(file) === 'folder') throw new Error(`${file} is a folder: name a file.`)
}

function kindOf(path: string): 'file' | 'folder' | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return null
  return found.isDirectory() ? 'folder' : 'file'
}
