import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/**
 * A growing value as of the latest frame, so that what streams in faster than the screen shows it renders once a frame.
 * Its beginning and its end come at once, as does another one in its place; a hidden tab, which has no frames, gets only
 * those.
 */
export function useFrameThrottle<Growing extends { id: string }>(
  source: ReadonlySignal<Growing | null>,
): ReadonlySignal<Growing | null> {
  const throttled = useSignal(source.peek())
  useLayoutEffect(() => {
    let frame = 0
    const update = () => {
      frame = 0
      throttled.value = source.peek()
    }
    const stop = effect(() => {
      if (source.value?.id !== throttled.peek()?.id) {
        cancelAnimationFrame(frame)
        update()
      } else frame ||= requestAnimationFrame(update)
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [])
  return throttled
}
