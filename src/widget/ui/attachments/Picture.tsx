import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Attachment } from '../../../contract/index.ts'
import { useWidget } from '../WidgetContext.ts'

interface PictureProps {
  file: Pick<Attachment, 'id' | 'name' | 'type' | 'size'> & PictureSize
  /** The largest size in which it is shown, in CSS pixels. */
  box: PictureSize
  /** Whether its name is beside it, so that screen readers skip it. */
  isDecoration?: boolean
  onFailed(): void
}

/** How far from the visible part of the transcript a picture is fetched. */
const margin = '400px'

/** Shows a picture. It is fetched when it comes near the visible part of the transcript. */
export function Picture({ file, box, isDecoration = false, onFailed }: PictureProps): JSX.Element {
  const model = useWidget().conversation.attachments.model.value
  const ref = useRef<HTMLCanvasElement>(null)
  const { id } = file
  const size = drawnSize(file, box)
  useEffect(() => {
    const canvas = ref.current as HTMLCanvasElement
    const end = new AbortController()
    const draw = async () => {
      const blob = await model?.load(file)
      if (end.signal.aborted) return
      if (!blob) throw new Error('The file could not be loaded')
      // Some browsers decide by the type how to decode it.
      await drawPicture(canvas, blob.slice(0, blob.size, file.type), size, end.signal)
    }
    const observer = new IntersectionObserver(
      entries => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        draw().catch(() => end.signal.aborted || onFailed())
      },
      { root: canvas.closest('.log'), rootMargin: margin },
    )
    observer.observe(canvas)
    return () => {
      observer.disconnect()
      end.abort('Natter: the picture is gone')
    }
  }, [id])
  return (
    <canvas
      ref={ref}
      {...size}
      role="img"
      aria-label={isDecoration ? undefined : file.name}
      aria-hidden={isDecoration}
    />
  )
}

interface PictureSize {
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
function drawnSize({ width, height }: PictureSize, box: PictureSize): PictureSize {
  const scale = Math.min(1, (2 * box.width) / width, (2 * box.height) / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Settles when the last picture has been decoded. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Draws a picture in that size. One is decoded at a time, in all widgets of the page: a large one takes 160 MB. Its
 * address never gets into the page, so no Content Security Policy has to allow it. Rejects if it can't be decoded.
 */
function drawPicture(
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
