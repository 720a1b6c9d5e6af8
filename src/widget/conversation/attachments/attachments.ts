import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { Attachment } from '../../../contract/index.ts'
import type { StopCondition } from '../../api/apiClient.ts'
import type { KeepOptions, SessionScope } from '../../identity/sessionScope.ts'
import type { OutboxFile } from '../../store/guards.ts'
import { setState, updateState } from '../../updateState.ts'
import { fileName } from './fileName.ts'
import { type UploadState, Uploads, type UploadsDeps } from './uploads.ts'

export type { OutboxFile }

/** Folders can't be sent, nor more files than a message can have. */
export type Refusal = 'folder' | 'tooMany'

/** The part that the panel uses. */
export type AttachmentsModel = Pick<
  Attachments,
  'draft' | 'draftStatus' | 'refusals' | 'ended' | 'add' | 'remove' | 'retry' | 'takeDraft' | 'stateOf' | 'load'
>

type AttachmentsDeps = Omit<UploadsDeps, 'onEnd'>

/** The most files of a message. */
export const maxAttachments = 5
/** Downloads of this many bytes are kept, so that scrolling doesn't repeat them. */
const maxKeptBytes = 30 * 1024 * 1024
const maxDownloadTries = 2
/** If the platform says when to come back: it sends a visitor only a few files at once. */
const maxBusyTries = 20

/** The files in the composer, and those of messages. */
export class Attachments {
  readonly #deps: AttachmentsDeps
  readonly #draft = signal<readonly OutboxFile[]>([])
  readonly #refusals = signal<readonly Refusal[]>([])
  readonly #ended = signal<{ file: OutboxFile; state: UploadState } | null>(null)
  /** The last one that was used is at the end. */
  readonly #downloads = new Map<string, { size: number; blob: Promise<Blob | undefined> }>()
  #scope: SessionScope | undefined

  readonly uploads: Uploads
  /** The files in the composer. Their upload begins at once. */
  readonly draft: ReadonlySignal<readonly OutboxFile[]> = this.#draft
  /** `failed` if one of the files can't be sent, so that the message can't be sent either. */
  readonly draftStatus: ReadonlySignal<'empty' | 'ready' | 'failed'> = computed(() => {
    const files = this.#draft.value
    if (files.some(file => this.stateOf(file).value.kind === 'failed')) return 'failed'
    return files.length ? 'ready' : 'empty'
  })
  /** Why some of the last files were not taken. */
  readonly refusals: ReadonlySignal<readonly Refusal[]> = this.#refusals
  /** The last file in the composer whose upload has ended, for screen readers. */
  readonly ended: ReadonlySignal<{ file: OutboxFile; state: UploadState } | null> = this.#ended

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps
    this.uploads = new Uploads({
      ...deps,
      onEnd: (file, state) => {
        if (this.#draft.peek().includes(file)) this.#ended.value = { file, state }
      },
    })
  }

  /**
   * Switches to another session, and forgets all files except for `pending`, which are those of messages that are kept.
   * `keepUnsent` also keeps the files in the composer.
   */
  reset(scope: SessionScope, pending: readonly OutboxFile[], { keepUnsent }: KeepOptions): void {
    // A new list, because its files have other states from now on.
    const draft = keepUnsent ? [...this.#draft.peek()] : []
    this.#scope = scope
    this.#downloads.clear()
    this.uploads.reset(scope, [...draft, ...pending])
    setState(this.#ended, null)
    this.#setDraft(draft)
    for (const file of draft) void this.uploads.start(file)
  }

  /** Adds files to the composer. `hasFolder`: among them was a folder, which can't be sent. */
  add = (files: readonly File[], hasFolder = false): void => {
    if (!this.#deps.canWrite.peek()) return
    const free = maxAttachments - this.#draft.peek().length
    const added = files.slice(0, free).map(blob => {
      const file = { id: this.#deps.createId(), name: fileName(blob.name), type: blob.type, size: blob.size }
      this.uploads.add(file, blob)
      return file
    })
    const refusals: Refusal[] = []
    if (hasFolder) refusals.push('folder')
    if (files.length > free) refusals.push('tooMany')
    this.#setDraft([...this.#draft.peek(), ...added], refusals)
    for (const file of added) void this.uploads.start(file)
  }

  /** Removes a file from the composer, and cancels its upload. */
  remove = (id: string): void => {
    this.uploads.remove(id)
    this.#setDraft(this.#draft.peek().filter(file => file.id !== id))
  }

  /** Uploads a file of the composer again. */
  retry = (id: string): void => {
    const file = this.#draft.peek().find(each => each.id === id)
    if (file) void this.uploads.start(file)
  }

  /** Empties the composer, because its files are being sent. */
  takeDraft = (): readonly OutboxFile[] => {
    const files = this.#draft.peek()
    this.#setDraft([])
    return files
  }

  stateOf = (file: OutboxFile): ReadonlySignal<UploadState> => this.uploads.stateOf(file)

  /** Returns the file with this id, from this page or from the platform. Resolves to `undefined` if that fails. */
  load = async ({ id, size }: Pick<Attachment, 'id' | 'size'>): Promise<Blob | undefined> => {
    const scope = this.#scope
    const own = this.uploads.blobOf(id)
    if (own || !scope) return own
    const download = this.#downloads.get(id) ?? { size, blob: this.#download(scope, { id, size }) }
    this.#downloads.delete(id)
    this.#downloads.set(id, download)
    this.#dropOldDownloads()
    const blob = await download.blob
    if (!blob && this.#downloads.get(id) === download) this.#downloads.delete(id)
    return this.#scope === scope ? blob : undefined
  }

  /** Drops the bytes of files that are neither in the composer nor have one of these ids. */
  keepOnly(ids: ReadonlySet<string | undefined>): void {
    const draftIds = this.#draft.peek().map(({ id }) => id)
    this.uploads.keepOnly(new Set([...ids, ...draftIds]))
    for (const id of this.#downloads.keys()) if (!ids.has(id)) this.#downloads.delete(id)
  }

  #setDraft(draft: readonly OutboxFile[], refusals: readonly Refusal[] = []): void {
    updateState(() => {
      this.#draft.value = draft
      this.#refusals.value = refusals
      if (!draft.some(file => file === this.#ended.peek()?.file)) this.#ended.value = null
    })
  }

  #download(scope: SessionScope, file: Pick<Attachment, 'id' | 'size'>): Promise<Blob | undefined> {
    const shouldStopRetrying: StopCondition = ({ transient, ended, retryAfterMs }, tries) =>
      (!transient && !ended) || tries >= (retryAfterMs ? maxBusyTries : maxDownloadTries)
    return this.#deps.attachmentApi.download(scope, shouldStopRetrying, file)
  }

  #dropOldDownloads(): void {
    let bytes = 0
    for (const [id, { size }] of [...this.#downloads].reverse()) {
      bytes += size
      if (bytes > maxKeptBytes && bytes > size) this.#downloads.delete(id)
    }
  }
}
