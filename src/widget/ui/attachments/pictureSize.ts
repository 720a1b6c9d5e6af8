export interface PictureSize {
  width: number
  height: number
}

/** The platform refuses more, too. A small file can have so many pixels that decoding it takes gigabytes. */
const maxPixels = 40_000_000

/** Whether a file is a picture that can be decoded. */
export const canBeShown = <File extends { type: string; width?: number | undefined; height?: number | undefined }>(
  file: File,
): file is File & PictureSize =>
  file.type.startsWith('image/') && !!file.width && !!file.height && file.width * file.height <= maxPixels

/** Returns the size in which a picture is drawn to fill the box on a dense screen, in pixels. It is never enlarged. */
export function drawnSize({ width, height }: PictureSize, box: PictureSize): PictureSize {
  const scale = Math.min(1, (2 * box.width) / width, (2 * box.height) / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
