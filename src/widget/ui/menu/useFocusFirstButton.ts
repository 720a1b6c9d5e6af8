import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** The returned ref is for an element that pops up. Its first button gets the focus. */
export function useFocusFirstButton(): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => ref.current?.querySelector('button')?.focus(), [])
  return ref
}
