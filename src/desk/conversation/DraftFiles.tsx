import type { JSX } from 'preact'
import { closePath } from '../../widget/styles/closePath.ts'
import { FileIcon, formatSize } from '../../widget/ui/attachments/UploadStatus.tsx'
import { useDesk } from '../DeskContext.ts'
import { Icon } from '../Icon.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts } from './ConversationContext.ts'
import type { DraftFile } from './draftFiles.ts'

/** The files that go with the reply. */
export function DraftFiles(): JSX.Element {
  const { files, hadTooMany } = useConversation().thread.files
  const texts = useConversationTexts()
  return (
    <>
      {files.value.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers.
        <ul class="draft-files" role="list" aria-label={texts.files}>
          {files.value.map(file => (
            <FileItem key={file.id} file={file} />
          ))}
        </ul>
      )}
      <p class="failure" role="alert">
        {hadTooMany.value && texts.tooManyFiles}
      </p>
    </>
  )
}

function FileItem({ file: { id, name, size, state } }: { file: DraftFile }): JSX.Element {
  const { strings } = useDesk()
  const { files } = useConversation().thread
  const texts = useConversationTexts()
  return (
    <li class="file">
      <FileIcon />
      <span class="file-about">
        <bdi class="file-name">{name}</bdi>
        {state.kind === 'uploading' && <progress aria-label={interpolate(texts.uploading, { name })} />}
        {state.kind === 'uploaded' && formatSize(size, navigator.language)}
        {state.kind === 'failed' && (
          <span class="failure" role="alert">
            {texts.fileProblems[state.problem]}{' '}
            {state.problem === 'unreachable' && (
              <button type="button" class="link" onClick={() => files.retry(id)}>
                {strings.app.retry}
              </button>
            )}
          </span>
        )}
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={interpolate(texts.removeFile, { name })}
        onClick={() => files.remove(id)}
      >
        <Icon path={closePath} />
      </button>
    </li>
  )
}
