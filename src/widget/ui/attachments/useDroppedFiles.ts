import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** Calls `onFiles` with files that are pasted or dropped into the panel. Returns whether files are dragged over it. */
export function useDroppedFiles(
  ref: RefObject<HTMLElement | null>,
  onFiles: (files: Iterable<File>) => void,
): ReadonlySignal<boolean> {
  const isOver = useSignal(false)
  useLayoutEffect(() => {
    const panel = ref.current?.closest<HTMLElement>('.panel')
    const end = new AbortController()
    const listen = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      listener: (event: HTMLElementEventMap[Name]) => void,
    ) => panel?.addEventListener(name, listener, { signal: end.signal })
    /** Keeps the event from the page, which may take files, too, and from the browser, which would open them. */
    const take = (event: Event) => {
      event.preventDefault()
      event.stopPropagation()
    }
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      take(event)
      isOver.value = true
    }
    listen('dragenter', onDrag)
    listen('dragover', onDrag)
    listen('dragleave', ({ relatedTarget }) => {
      // It is also fired for each element that the pointer leaves inside of the panel.
      if (!panel?.contains(relatedTarget as Node | null)) isOver.value = false
    })
    listen('drop', event => {
      isOver.value = false
      if (!hasFiles(event.dataTransfer)) return
      take(event)
      onFiles(event.dataTransfer?.files ?? [])
    })
    listen('paste', event => {
      const { clipboardData } = event
      // Text from an office program comes with a picture of it.
      if (!hasFiles(clipboardData) || clipboardData?.types.includes('text/plain')) return
      take(event)
      onFiles(clipboardData?.files ?? [])
    })
    return () => end.abort('Natter: the composer is gone')
  }, [])
  return isOver
}

const hasFiles = (data: DataTransfer | null) => !!data?.types.includes('Files')
