import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/**
 * A growing value, updated once a frame, because more can stream in than the screen shows. A value with another id, and the
 * end of one, come at once. In a hidden tab, which has no frames, only those come.
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
