import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import { closePath } from '../../styles/closePath.ts'
import { focusOn, initialFocus } from '../focus.ts'
import { IconButton } from '../IconButton.tsx'
import { interpolate } from '../interpolate.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { FileIcon } from './FileIcon.tsx'
import { Picture } from './Picture.tsx'
import { canBeShown } from './pictureSize.ts'
import { UploadStatus } from './UploadStatus.tsx'

/** As in the style sheet. */
const box = { width: 36, height: 36 }

/** A file in the composer, with the progress of its upload. */
export function DraftFile({ file }: { file: OutboxFile }): JSX.Element | null {
  const model = useWidget().conversation.attachments.model.value
  const strings = useStrings()
  const item = useRef<HTMLLIElement>(null)
  const isUndrawable = useSignal(false)
  const state = model?.stateOf(file).value
  if (!model || !state) return null
  // A picture is decoded once the platform has checked its size.
  const upload = state.kind === 'uploaded' && !isUndrawable.value && canBeShown(state.upload) && state.upload
  const fail = () => {
    isUndrawable.value = true
  }
  return (
    <li class={state.kind === 'failed' ? 'draft failed' : 'draft'} ref={item}>
      {upload ? <Picture file={{ ...upload, name: file.name }} box={box} isDecoration onFailed={fail} /> : <FileIcon />}
      <UploadStatus file={file} state={state} onRetry={() => model.retry(file.id)} />
      <IconButton
        label={interpolate(strings.removeFile, file.name)}
        path={closePath}
        onClick={() => {
          focusOn(item.current?.closest('form') as HTMLFormElement, initialFocus)
          model.remove(file.id)
        }}
      />
    </li>
  )
}
