import type { PictureSize } from './pictureSize.ts'

/** Settles when the last picture has been decoded. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Draws a picture in that size. One is decoded at a time, in all widgets of the page: a large one takes 160 MB. Its
 * address never gets into the page, so no Content Security Policy has to allow it. Rejects if it can't be decoded.
 */
export function drawPicture(
  canvas: HTMLCanvasElement,
  blob: Blob,
  { width, height }: PictureSize,
  abortSignal: AbortSignal,
): Promise<void> {
  const draw = async () => {
    if (abortSignal.aborted) return
    const bitmap = await createImageBitmap(blob, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' })
    if (!abortSignal.aborted) canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
    bitmap.close()
  }
  const drawn = last.then(draw)
  last = drawn.catch(() => {})
  return drawn
}
