import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from '../elements.tsx'
import { focusOn, initialFocus } from '../focus.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'

const clipPath = 'M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.4-8.5a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.7 1.7 0 0 1-2.4-2.4L15 7.2'

/** What the browser offers to choose. The platform decides by the content. */
const accepted = 'image/png,image/jpeg,image/webp,image/gif,application/pdf,text/plain,.txt,.log,.md,.csv'

/** Lets the visitor choose, paste and drop files. */
export function AttachButton(): JSX.Element {
  const { model } = useWidget().conversation.attachments
  const strings = useStrings()
  const input = useRef<HTMLInputElement>(null)
  const add = (files: Iterable<File>, hasFolder = false) => {
    // The browser's dialog may still have been open when another session began, which has a form of its own.
    if (!input.current?.isConnected) return
    model.peek()?.add([...files], hasFolder)
    focusOn(input.current.form as HTMLFormElement, initialFocus)
  }
  const isOver = useDroppedFiles(input, add)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={accepted}
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? [])
          // Otherwise choosing the same file again would be no change.
          currentTarget.value = ''
        }}
      />
      <IconButton label={strings.attach} path={clipPath} class="icon attach" onClick={() => input.current?.click()} />
      {isOver.value && <p class="drop">{strings.dropFiles}</p>}
    </>
  )
}

/**
 * Calls `onFiles` with files that are pasted or dropped into the panel, and with whether a folder was among them. Returns
 * whether files are dragged over it.
 */
function useDroppedFiles(
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
    /** Keeps an event with files from the page, which may take files, too, and from the browser, which would open them. */
    const take = (event: Event, data: DataTransfer | null) => {
      if (!data?.types.includes('Files')) return false
      event.preventDefault()
      event.stopPropagation()
      return true
    }
    const takeFiles = (data: DataTransfer | null) => {
      // A folder looks like a file that can't be read.
      const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory
      const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file')
      const files = items.filter(item => !isFolder(item)).flatMap(item => item.getAsFile() ?? [])
      onFiles(files, items.some(isFolder))
    }
    const onDrag = (event: DragEvent) => {
      if (take(event, event.dataTransfer)) isOver.value = true
    }
    listen('dragenter', onDrag)
    listen('dragover', onDrag)
    listen('dragleave', ({ relatedTarget }) => {
      // It is also fired for each element that the pointer leaves inside of the panel.
      if (!panel?.contains(relatedTarget as Node | null)) isOver.value = false
    })
    listen('drop', event => {
      isOver.value = false
      if (take(event, event.dataTransfer)) takeFiles(event.dataTransfer)
    })
    listen('paste', event => {
      const { clipboardData } = event
      // Text from an office program comes with a picture of it.
      if (!clipboardData?.types.includes('text/plain') && take(event, clipboardData)) takeFiles(clipboardData)
    })
    return () => end.abort('Natter: the composer is gone')
  }, [])
  return isOver
}
