import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Returns a ref for a menu or dialog. When it opens, the button with that index gets the focus; -1 is the last one. */
export function useButtonFocus(index = 0): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => [...(ref.current?.querySelectorAll('button') ?? [])].at(index)?.focus(), [])
  return ref
}
