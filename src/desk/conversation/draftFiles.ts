import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Attachment, Upload } from '../../contract/index.ts'
import { maxAttachmentBytes, maxAttachments } from '../../contract/limits.ts'
import { fileName } from '../../widget/conversation/attachments/fileName.ts'
import { ApiError } from '../ApiError.ts'
import { isTemporary } from './isTemporary.ts'

export type FileProblem = 'tooLarge' | 'refused' | 'unreachable'

export type UploadState =
  | { kind: 'uploading' }
  | { kind: 'uploaded'; upload: Upload }
  | { kind: 'failed'; problem: FileProblem }

/** A file in the composer. */
export interface DraftFile {
  id: string
  name: string
  size: number
  state: UploadState
}

export interface DraftFiles {
  readonly files: ReadonlySignal<readonly DraftFile[]>
  /** Whether the last attempt to add files has exceeded the limit of a message. */
  readonly hadTooMany: ReadonlySignal<boolean>
  /** `busy`: a file is not uploaded. */
  readonly status: ReadonlySignal<'empty' | 'busy' | 'ready'>
  /** Uploads files, as many as a message can have. */
  add(files: readonly File[]): void
  retry(id: string): void
  remove(id: string): void
  /** Removes the uploaded files, and returns them for a message. */
  take(): Attachment[]
  /** Puts the files of a message back. */
  restore(attachments: readonly Attachment[]): void
}

interface DraftFilesDeps {
  upload(id: string, file: Blob, abortSignal: AbortSignal): Promise<Upload>
  createId(): string
}

export function createDraftFiles({ upload, createId }: DraftFilesDeps): DraftFiles {
  const files = signal<readonly DraftFile[]>([])
  const hadTooMany = signal(false)
  const transfers = new Map<string, { blob: Blob; controller: AbortController }>()

  const setState = (id: string, state: UploadState) => {
    files.value = files.peek().map(file => (file.id === id ? { ...file, state } : file))
  }

  async function start(id: string) {
    const transfer = transfers.get(id)
    if (!transfer) return
    if (transfer.blob.size > maxAttachmentBytes) return setState(id, { kind: 'failed', problem: 'tooLarge' })
    setState(id, { kind: 'uploading' })
    try {
      setState(id, { kind: 'uploaded', upload: await upload(id, transfer.blob, transfer.controller.signal) })
    } catch (error) {
      const isTooLarge = error instanceof ApiError && error.status === 413
      setState(id, {
        kind: 'failed',
        problem: isTooLarge ? 'tooLarge' : isTemporary(error) ? 'unreachable' : 'refused',
      })
    }
  }

  function remove(id: string) {
    transfers.get(id)?.controller.abort('Natter: the file was removed')
    transfers.delete(id)
    files.value = files.peek().filter(file => file.id !== id)
    hadTooMany.value = false
  }

  return {
    files,
    hadTooMany,
    status: computed(() =>
      files.value.length === 0
        ? 'empty'
        : files.value.every(({ state }) => state.kind === 'uploaded')
          ? 'ready'
          : 'busy',
    ),
    add(added) {
      const room = maxAttachments - files.peek().length
      hadTooMany.value = added.length > room
      for (const blob of added.slice(0, room)) {
        const id = createId()
        transfers.set(id, { blob, controller: new AbortController() })
        files.value = [
          ...files.peek(),
          { id, name: fileName(blob.name), size: blob.size, state: { kind: 'uploading' } },
        ]
        void start(id)
      }
    },
    retry: id => void start(id),
    remove,
    take() {
      const taken = files
        .peek()
        .flatMap(({ name, state }) => (state.kind === 'uploaded' ? { ...state.upload, name } : []))
      for (const { id } of taken) remove(id)
      return taken
    },
    restore(attachments) {
      const restored = attachments.map(({ name, ...upload }) => ({
        id: upload.id,
        name,
        size: upload.size,
        state: { kind: 'uploaded' as const, upload },
      }))
      files.value = [...restored, ...files.peek()]
    },
  }
}
