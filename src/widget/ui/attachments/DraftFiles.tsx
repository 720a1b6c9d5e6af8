import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import { closePath } from '../../styles/closePath.ts'
import { IconButton, LiveText } from '../elements.tsx'
import { focusOn, initialFocus } from '../focus.ts'
import { interpolate } from '../interpolate.ts'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { canBeShown, Picture } from './Picture.tsx'
import { FileIcon, problemTexts, UploadStatus } from './UploadStatus.tsx'

export function DraftFiles(): JSX.Element {
  const model = useWidget().conversation.attachments.model.value
  const strings = useStrings()
  const files = model?.draft.value ?? []
  const refusalTexts = { folder: strings.noFolders, tooMany: strings.tooManyFiles }
  const refusalText = model?.refusals.value.map(refusal => refusalTexts[refusal]).join(' ')
  const ended = model?.ended.value
  const problem = ended?.state.kind === 'failed' && strings[problemTexts[ended.state.problem]]
  return (
    <>
      {files.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers.
        <ul class="drafts" role="list" aria-label={strings.attachments}>
          {files.map(file => (
            <DraftFile key={file.id} file={file} />
          ))}
        </ul>
      )}
      {refusalText && (
        <p class="count">
          <b key={refusalText}>{refusalText}</b>
        </p>
      )}
      {/* Always rendered: screen readers announce changes of a live region, but not a region that is added with its text. */}
      <p class="aloud" role="status">
        <LiveText text={ended?.state.kind === 'uploaded' && interpolate(strings.fileReady, ended.file.name)} />
      </p>
      <p class="aloud" role="alert">
        <LiveText
          text={[ended && problem && `${ended.file.name}: ${problem}`, refusalText].filter(Boolean).join(' ')}
        />
      </p>
    </>
  )
}

/** As in the style sheet. */
const box = { width: 36, height: 36 }

/** A file in the composer, with the progress of its upload. */
function DraftFile({ file }: { file: OutboxFile }): JSX.Element | null {
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
