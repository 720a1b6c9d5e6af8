import type { ReadonlySignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Returns whether the list has changed since the last rendering. Otherwise, rows that this rendering mounts come into view by
 * scrolling. It is a ref, because a prop that changes would render every row again.
 */
export function useHasListChanged(list: ReadonlySignal<unknown>): RefObject<boolean> {
  const renderedList = useRef<unknown>(undefined)
  const hasChanged = useRef(true)
  hasChanged.current = list.value !== renderedList.current
  useLayoutEffect(() => {
    renderedList.current = list.value
  })
  return hasChanged
}
