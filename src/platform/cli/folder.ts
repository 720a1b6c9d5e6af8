import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { refuse } from './option.ts'

/** A folder that is there, as a path that is right in every working folder. */
export function readFolder(text: string): string {
  const folder = resolve(text)
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : refuse('Must be a folder that is there.')
}
