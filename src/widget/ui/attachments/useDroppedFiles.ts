import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/**
 * Calls `onFiles` with files that are pasted or dropped into the panel, and with whether a folder was among them. Returns
 * whether files are dragged over it.
 */
export function useDroppedFiles(
  ref: RefObject<HTMLElement | null>,
  onFiles: (files: Iterable<File>, hasFolder: boolean) => void,
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
    const takeFiles = (data: DataTransfer | null) => {
      // A folder looks like a file that can't be read.
      const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory
      const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file')
      const files = items.filter(item => !isFolder(item)).flatMap(item => item.getAsFile() ?? [])
      onFiles(files, items.some(isFolder))
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
      takeFiles(event.dataTransfer)
    })
    listen('paste', event => {
      const { clipboardData } = event
      // Text from an office program comes with a picture of it.
      if (!hasFiles(clipboardData) || clipboardData?.types.includes('text/plain')) return
      take(event)
      takeFiles(clipboardData)
    })
    return () => end.abort('Natter: the composer is gone')
  }, [])
  return isOver
}

const hasFiles = (data: DataTransfer | null) => !!data?.types.includes('Files')
