import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Throws if a file's folder is missing: creating it would hide a misspelt path. */
export function requireFolderOf(file: string): void {
  if (!existsSync(dirname(file)))
    throw new Error(`There is no folder ${dirname(file)}: make it, or name a file elsewhere.`)
}

/** Throws if the path is a folder. */
export function refuseFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${file} is a folder: name a file, such as ${join(file, 'natter.db')}.`)
}

/**
 * The path without symbolic links. Processes that use different names for one database must find the same lock beside it,
 * and replace the same file. The file may be missing. Throws if its folder is missing.
 */
export function realPathOf(file: string): string {
  requireFolderOf(file)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    return realPathOf(resolve(dirname(file), readlinkSync(file)))
  return join(realpathSync(dirname(file)), basename(file))
}
