import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Attachment } from '../../contract/index.ts'
import { canBeShown } from '../../widget/ui/attachments/Picture.tsx'
import { FileIcon, formatSize } from '../../widget/ui/attachments/UploadStatus.tsx'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts } from './ConversationContext.ts'

/** The files of a message: pictures, which open, and others, which are saved and never run. */
export function MessageFiles({ files }: { files: readonly Attachment[] }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers.
    <ul class="files" role="list" aria-label={useConversationTexts().files}>
      {files.map(file => (
        <li key={file.id}>{canBeShown(file) ? <Picture file={file} /> : <SavedFile file={file} />}</li>
      ))}
    </ul>
  )
}

/** The largest size of a preview, in CSS pixels. */
const box = { width: 260, height: 240 }

interface PictureProps {
  file: Attachment & { width: number; height: number }
}

function Picture({ file }: PictureProps): JSX.Element {
  const { strings } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const [isOpen, setIsOpen] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  if (hasFailed) return <SavedFile file={file} />
  const url = thread.fileUrl(file)
  const scale = Math.min(1, box.width / file.width, box.height / file.height)
  return (
    <>
      <button
        type="button"
        class="picture"
        aria-label={interpolate(texts.showFile, { name: file.name })}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <img
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          width={Math.round(file.width * scale)}
          height={Math.round(file.height * scale)}
          onError={() => setHasFailed(true)}
        />
      </button>
      {isOpen && (
        <Dialog class="lightbox" title={file.name} closedBy="any" onClose={() => setIsOpen(false)}>
          <img src={url} alt={file.name} width={file.width} height={file.height} />
          <a class="button" href={url} download={file.name}>
            {strings.app.save}
          </a>
        </Dialog>
      )}
    </>
  )
}

function SavedFile({ file }: { file: Attachment }): JSX.Element {
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const size = formatSize(file.size, navigator.language)
  return (
    <a
      class="file"
      href={thread.fileUrl(file)}
      download={file.name}
      aria-label={`${interpolate(texts.saveFile, { name: file.name })}, ${size}`}
    >
      <FileIcon />
      <span class="file-about">
        <bdi class="file-name">{file.name}</bdi>
        {size}
      </span>
    </a>
  )
}
