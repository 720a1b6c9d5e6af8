import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** The returned ref is for an element that pops up. Its first button gets the focus, or the last one with an index of -1. */
export function useButtonFocus(index = 0): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => [...(ref.current?.querySelectorAll('button') ?? [])].at(index)?.focus(), [])
  return ref
}
