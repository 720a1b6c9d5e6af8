import type { JSX } from 'preact'
import { closePath } from '../../widget/styles/closePath.ts'
import { FileIcon, formatSize } from '../../widget/ui/attachments/UploadStatus.tsx'
import { Icon } from '../Icon.tsx'
import { fill } from '../i18n/format.ts'
import { useConversation, useStrings } from './ConversationContext.ts'
import type { DraftFile } from './draftFiles.ts'

/** The files that go with the reply. */
export function DraftFiles(): JSX.Element {
  const { files, hadTooMany } = useConversation().thread.files
  const strings = useStrings()
  return (
    <>
      {files.value.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers.
        <ul class="draft-files" role="list" aria-label={strings.files}>
          {files.value.map(file => (
            <Row key={file.id} file={file} />
          ))}
        </ul>
      )}
      <p class="failure" role="alert">
        {hadTooMany.value && strings.tooManyFiles}
      </p>
    </>
  )
}

function Row({ file: { id, name, size, state } }: { file: DraftFile }): JSX.Element {
  const { files } = useConversation().thread
  const strings = useStrings()
  return (
    <li class="file">
      <FileIcon />
      <span class="about">
        <bdi class="file-name">{name}</bdi>
        {state.kind === 'uploading' && <progress aria-label={fill(strings.uploading, { name })} />}
        {state.kind === 'uploaded' && formatSize(size, navigator.language)}
        {state.kind === 'failed' && (
          <span class="failure" role="alert">
            {strings.fileProblems[state.problem]}{' '}
            {state.problem === 'unreachable' && (
              <button type="button" class="link" onClick={() => files.retry(id)}>
                {strings.retry}
              </button>
            )}
          </span>
        )}
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={fill(strings.removeFile, { name })}
        onClick={() => files.remove(id)}
      >
        <Icon path={closePath} />
      </button>
    </li>
  )
}
