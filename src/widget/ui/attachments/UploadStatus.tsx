import type { JSX } from 'preact'
import type { OutboxFile } from '../../conversation/attachments/attachments.ts'
import type { FileProblem, UploadState } from '../../conversation/attachments/uploads.ts'
import type { Strings } from '../../i18n/en.ts'
import { Icon, LinkButton, LiveText } from '../elements.tsx'
import { useStrings } from '../WidgetContext.ts'

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
          {strings[problemTexts[state.problem]]}
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

const pagePath = 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5'

/** Stands for a file that is not shown as a picture. */
export function FileIcon(): JSX.Element {
  return (
    <span class="file-icon">
      <Icon path={pagePath} />
    </span>
  )
}

export const problemTexts = {
  empty: 'fileEmpty',
  tooLarge: 'fileTooLarge',
  refused: 'fileRefused',
  full: 'filesFull',
  network: 'uploadFailed',
  missing: 'uploadFailed',
} as const satisfies Record<FileProblem, keyof Strings>

export function formatSize(bytes: number, lang: string): string {
  const [unit, divisor] = bytes < 999_500 ? ['kilobyte', 1000] : ['megabyte', 1_000_000]
  const value = bytes / divisor
  return new Intl.NumberFormat(lang, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(Math.max(value, 0.1))
}
