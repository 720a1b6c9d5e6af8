import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Attachment } from '../../../contract/index.ts'
import { Icon } from '../Icon.tsx'
import { IconButton } from '../IconButton.tsx'
import { interpolate } from '../interpolate.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { FileIcon } from './FileIcon.tsx'
import { formatSize } from './formatSize.ts'
import { Picture } from './Picture.tsx'
import { canBeShown } from './pictureSize.ts'
import { saveFile } from './saveFile.ts'

const savePath = 'M12 4v11M7 10.5l5 5 5-5M5 20h14'
/** As in the style sheet. */
const box = { width: 260, height: 240 }

/** A file that the platform has: a picture, or a row with its name and size. A button saves it. */
export function StoredFile({ file }: { file: Attachment }): JSX.Element {
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
