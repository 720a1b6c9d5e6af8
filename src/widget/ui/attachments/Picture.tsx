import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Attachment } from '../../../contract/index.ts'
import { useWidget } from '../WidgetContext.ts'
import { drawPicture } from './drawPicture.ts'
import { drawnSize, type PictureSize } from './pictureSize.ts'

interface PictureProps {
  file: Pick<Attachment, 'id' | 'name' | 'type' | 'size'> & PictureSize
  /** The largest size in which it is shown, in CSS pixels. */
  box: PictureSize
  /** Whether its name is beside it, so that screen readers skip it. */
  isDecoration?: boolean
  /** Called if it can't be loaded or drawn. */
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
