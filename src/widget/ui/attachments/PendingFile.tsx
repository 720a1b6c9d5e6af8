import type { JSX } from 'preact'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import { useWidget } from '../WidgetContext.ts'
import { FileIcon } from './FileIcon.tsx'
import { UploadStatus } from './UploadStatus.tsx'

/** A file of an own message that has not been uploaded yet. */
export function PendingFile({ file }: { file: OutboxFile }): JSX.Element | null {
  const model = useWidget().conversation.attachments.model.value
  const state = model?.stateOf(file).value
  if (!state) return null
  return (
    <div class="file">
      <FileIcon />
      <UploadStatus file={file} state={state} />
    </div>
  )
}
