import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { refuse } from './option.ts'

/** Reads the path of an existing folder, and makes it absolute. */
export function readFolder(text: string): string {
  const folder = resolve(text)
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : refuse('Must be an existing folder.')
}
