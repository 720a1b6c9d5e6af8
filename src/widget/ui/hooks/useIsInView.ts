import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** Returns whether an element is in the visible part of the page. Always false until `isReady`. */
export function useIsInView(ref: RefObject<HTMLElement | null>, isReady: boolean): ReadonlySignal<boolean> {
  const isInView = useSignal(false)
  useLayoutEffect(() => {
    if (!isReady) return
    const observer = new IntersectionObserver(entries => {
      isInView.value = entries.at(-1)?.isIntersecting ?? false
    })
    observer.observe(ref.current as HTMLElement)
    return () => observer.disconnect()
  }, [isReady])
  return isInView
}
