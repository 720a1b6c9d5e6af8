/** Settles when the last picture has been decoded. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Draws a picture that many pixels wide. One is decoded at a time, in all widgets of the page: a large one takes 160 MB. Its
 * address never gets into the page, so no Content Security Policy has to allow it. Rejects if it can't be decoded.
 */
export function drawPicture(
  canvas: HTMLCanvasElement,
  blob: Blob,
  width: number,
  abortSignal: AbortSignal,
): Promise<void> {
  const draw = async () => {
    if (abortSignal.aborted) return
    // Only the width: the stored height is that before a photo was turned upright.
    const bitmap = await createImageBitmap(blob, { resizeWidth: width, resizeQuality: 'high' })
    if (!abortSignal.aborted) {
      canvas.width = bitmap.width
      canvas.height = bitmap.height
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
    }
    bitmap.close()
  }
  const drawn = last.then(draw)
  last = drawn.catch(() => {})
  return drawn
}
