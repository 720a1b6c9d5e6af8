import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Attachment } from '../../../contract/index.ts'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import { Icon, IconButton } from '../elements.tsx'
import { interpolate } from '../interpolate.ts'
import { saveFile } from '../saveFile.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { canBeShown, Picture } from './Picture.tsx'
import { FileIcon, formatSize, UploadStatus } from './UploadStatus.tsx'

interface MessageFilesProps {
  /** The files of a stored message. */
  stored: readonly Attachment[] | undefined
  /** The files of a message that is not stored yet. */
  pending: readonly OutboxFile[] | undefined
  /** The id of the element if it stands for the message, which has no text. */
  id: string | undefined
}

export function MessageFiles({ stored, pending = [], id }: MessageFilesProps): JSX.Element {
  const model = useWidget().conversation.attachments.model.value
  const toItem = (file: OutboxFile) => {
    const state = model?.stateOf(file).value
    // As in a stored message, so that nothing changes when the message is stored.
    if (state?.kind === 'uploaded') return <StoredFile file={{ ...state.upload, name: file.name }} />
    return (
      state && (
        <div class="file">
          <FileIcon />
          <UploadStatus file={file} state={state} />
        </div>
      )
    )
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

const savePath = 'M12 4v11M7 10.5l5 5 5-5M5 20h14'
/** As in the style sheet. */
const box = { width: 260, height: 240 }

/** A file that the platform has: a picture, or a row with its name and size. A button saves it. */
function StoredFile({ file }: { file: Attachment }): JSX.Element {
  const { model } = useWidget().conversation.attachments
  const strings = useStrings()
  const isLoading = useSignal(false)
  const hasFailed = useSignal(false)
  const isUndrawable = useSignal(false)
  const size = formatSize(file.size, strings.lang)
  const save = async () => {
    if (isLoading.value) return
    isLoading.value = true
    const blob = await model.peek()?.load(file)
    isLoading.value = false
    hasFailed.value = !blob
    if (blob) saveFile(blob, file.name)
  }
  const label = `${interpolate(strings.saveFile, file.name)}, ${size}`
  const attributes = { 'aria-busy': isLoading.value, onClick: () => void save() }
  const problem = <span role="alert">{hasFailed.value && <b>{strings.downloadFailed}</b>}</span>
  if (canBeShown(file) && !isUndrawable.value) {
    const fail = () => {
      isUndrawable.value = true
    }
    return (
      <>
        <div class="picture">
          <Picture file={file} box={box} onFailed={fail} />
          <IconButton label={label} path={savePath} class="icon save" {...attributes} />
        </div>
        {problem}
      </>
    )
  }
  return (
    <>
      <button type="button" class="file" aria-label={label} {...attributes}>
        <FileIcon />
        <span class="about">
          <bdi class="name">{file.name}</bdi>
          {size}
        </span>
        <Icon path={savePath} />
      </button>
      {problem}
    </>
  )
}
