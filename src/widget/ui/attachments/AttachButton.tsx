import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { focusOn, initialFocus } from '../focus.ts'
import { IconButton } from '../IconButton.tsx'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { useDroppedFiles } from './useDroppedFiles.ts'

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
