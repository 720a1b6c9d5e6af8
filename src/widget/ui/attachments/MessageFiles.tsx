import type { JSX } from 'preact'
import type { Attachment } from '../../../contract/index.ts'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { PendingFile } from './PendingFile.tsx'
import { StoredFile } from './StoredFile.tsx'

export interface MessageFilesProps {
  /** The files of a stored message. */
  stored: readonly Attachment[] | undefined
  /** The files of a message that is not stored yet. */
  pending: readonly OutboxFile[] | undefined
  /** The id of the element if it stands for the message, which has no text. */
  id: string | undefined
}

/** The files of a message. */
export function MessageFiles({ stored, pending = [], id }: MessageFilesProps): JSX.Element {
  const model = useWidget().conversation.attachments.model.value
  /** An upload is shown like a file of a stored message, so that nothing changes when the message is stored. */
  const toItem = (file: OutboxFile) => {
    const state = model?.stateOf(file).value
    if (state?.kind !== 'uploaded') return <PendingFile file={file} />
    return <StoredFile file={{ ...state.upload, name: file.name }} />
  }
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers.
    <ul class="files" role="list" id={id} aria-label={useStrings().attachments}>
      {(stored ?? pending).map(file => (
        <li key={file.id}>{stored ? <StoredFile file={file as Attachment} /> : toItem(file)}</li>
      ))}
    </ul>
  )
}
