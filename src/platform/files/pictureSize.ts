import { damaged, FileProblemError } from './fileProblem.ts'

export interface PictureSize {
  width: number
  height: number
}

/** A picture with more pixels is refused. A small file can have so many that a browser needs gigabytes to show it. */
export const maxPixels = 40_000_000

/** The size of a picture, or of one of its frames. Throws if it is empty or too large. */
export function checkSize(width: number, height: number): PictureSize {
  if (width === 0 || height === 0) throw damaged()
  if (width * height > maxPixels) throw new FileProblemError('too_many_pixels')
  return { width, height }
}
