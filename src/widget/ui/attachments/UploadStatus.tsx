import type { JSX } from 'preact'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import type { UploadState } from '../../conversation/attachments/uploads.ts'
import { LinkButton } from '../LinkButton.tsx'
import { LiveText } from '../LiveText.tsx'
import { useStrings } from '../WidgetContext.ts'
import { formatSize } from './formatSize.ts'
import { problemText } from './problemText.ts'

interface UploadStatusProps {
  file: OutboxFile
  state: UploadState
  onRetry?(): void
}

/** The name of a file that is being uploaded, with its size, the progress, or what went wrong. */
export function UploadStatus({ file, state, onRetry }: UploadStatusProps): JSX.Element {
  const strings = useStrings()
  const labelId = `file-${file.id}`
  return (
    <span class="about">
      <bdi class="name" id={labelId}>
        {file.name}
      </bdi>
      {state.kind === 'uploading' ? (
        <progress max={1} value={state.progress} aria-labelledby={labelId} />
      ) : state.kind === 'failed' ? (
        <b key={state.problem}>
          {problemText(state.problem, strings)}
          {onRetry && state.problem === 'network' && (
            <LinkButton describedBy={labelId} onClick={onRetry}>
              {strings.retry}
            </LinkButton>
          )}
        </b>
      ) : (
        <LiveText text={formatSize(file.size, strings.lang)} />
      )}
    </span>
  )
}
