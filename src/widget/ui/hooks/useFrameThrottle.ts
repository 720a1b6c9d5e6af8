import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/**
 * Limits updates of a growing value to one per frame. A value with another id, and `null`, are passed on at once. A hidden
 * tab has no frames, so only those are passed on there.
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
