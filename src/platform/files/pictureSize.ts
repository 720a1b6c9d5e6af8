import { damaged, FileProblemError } from './fileProblem.ts'

export interface PictureSize {
  width: number
  height: number
}

/** A picture with more pixels is refused. A small file can have so many that a browser needs gigabytes to show it. */
const maxPixels = 40_000_000

/** The size of a picture, or of one of its frames. Throws if it is empty or too large. */
export function checkSize(width: number, height: number): PictureSize {
  if (width === 0 || height === 0) throw damaged()
  if (width * height > maxPixels) throw new FileProblemError('too_many_pixels')
  return { width, height }
}

export interface Frame extends PictureSize {
  left: number
  top: number
}

/** The size of a picture with this frame of an animation: decoders may enlarge it. Throws if it would be too large. */
export function includeFrame(size: PictureSize, { left, top, width, height }: Frame): PictureSize {
  checkSize(width, height)
  return checkSize(Math.max(size.width, left + width), Math.max(size.height, top + height))
}
