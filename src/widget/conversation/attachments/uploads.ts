import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { AttachmentInput, Upload } from '../../../contract/index.ts'
import type { StopCondition } from '../../api/apiClient.ts'
import type { AttachmentApi } from '../../api/attachments.ts'
import type { Page } from '../../environment/page.ts'
import type { SessionScope } from '../../identity/sessionScope.ts'
import type { OutboxFile } from '../../store/guards.ts'
import { setState, updateState } from '../../updateState.ts'
import type { ConversationDeps } from '../deps.ts'

/**
 * Why a file can't be sent: it is empty or exceeds the size that the bot takes, its content is refused, the limit of the day is
 * reached, the platform can't be reached, or this browser no longer has the file or can't read it.
 */
export type FileProblem = 'empty' | 'tooLarge' | 'refused' | 'full' | 'network' | 'missing'

/** `waiting`: it has not begun, or will be tried again. `progress` is from 0 to 1. */
export type UploadState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'uploading'; readonly progress: number }
  | { readonly kind: 'uploaded'; readonly upload: Upload }
  | { readonly kind: 'failed'; readonly problem: FileProblem }

export interface UploadsDeps extends ConversationDeps {
  attachmentApi: AttachmentApi
  /** Called when an upload has succeeded or failed. */
  onEnd(file: OutboxFile, state: UploadState): void
}

const waiting = { kind: 'waiting' } as const
const maxReads = 4
/** The platform erases uploads without a message after an hour. */
const lifetimeMs = 50 * 60_000
const maxBytes = 10 * 1024 * 1024

/** A file and its upload. */
class Transfer {
  readonly file: OutboxFile
  readonly state: Signal<UploadState> = signal<UploadState>(waiting)
  /** `undefined` if it has to be read from IndexedDB. */
  blob: Blob | undefined
  /** The id of the upload. It is that of the file, unless another session has used that. */
  uploadId: string
  uploadedAt = 0
  /** The token of the session to which the upload belongs; `null` if it has not begun. */
  uploadedBy: string | null = null
  /** Settles when the upload ends. */
  running: Promise<void> | undefined
  controller: AbortController = new AbortController()
  /** Decides for the message that waits for the file whether to give up after a failure. */
  shouldStopRetrying: StopCondition | undefined

  constructor(file: OutboxFile, blob: Blob | undefined) {
    this.file = file
    this.blob = blob
    this.uploadId = file.id
  }

  cancel(reason: string): void {
    this.controller.abort(reason)
    this.running = undefined
  }
}

/** Uploads files one after the other: more at once could take all connections that a browser opens to one host. */
export class Uploads {
  readonly #deps: UploadsDeps
  #transfers = new Map<string, Transfer>()
  #scope: SessionScope | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: UploadsDeps) {
    this.#deps = deps
  }

  /** Switches to another session. The files in `kept` can be uploaded there again, the other ones are forgotten. */
  reset(scope: SessionScope, kept: readonly OutboxFile[]): void {
    this.#scope = scope
    this.#last = Promise.resolve()
    const former = this.#transfers
    for (const transfer of former.values()) transfer.cancel('Natter: the session has ended')
    this.#transfers = new Map()
    for (const file of kept) this.add(file, former.get(file.id)?.blob)
  }

  add(file: OutboxFile, blob?: Blob): Transfer {
    const transfer = new Transfer(file, blob)
    this.#transfers.set(file.id, transfer)
    return transfer
  }

  /** Forgets a file, and deletes its upload: that counts for the visitor's limits. */
  remove(id: string): void {
    const transfer = this.#transfers.get(id)
    if (!transfer) return
    transfer.cancel('Natter: the visitor has removed the file')
    this.#transfers.delete(id)
    const scope = this.#scope
    if (scope?.token && transfer.uploadedBy === scope.token)
      void this.#deps.attachmentApi.remove(scope, transfer.uploadId)
  }

  /** Forgets the files of which neither the id nor that of the upload is among these. */
  keepOnly(ids: ReadonlySet<string | undefined>): void {
    for (const [id, transfer] of this.#transfers) {
      if (ids.has(id) || ids.has(transfer.uploadId)) continue
      transfer.cancel('Natter: the message is gone')
      this.#transfers.delete(id)
    }
  }

  stateOf(file: OutboxFile): ReadonlySignal<UploadState> {
    return this.#transferOf(file).state
  }

  /** Returns the bytes of a file of this page, by the file's id or by that of its upload. */
  blobOf(id: string): Blob | undefined {
    return [...this.#transfers.values()].find(({ file, uploadId }) => file.id === id || uploadId === id)?.blob
  }

  /** Returns the bytes of those files that this page has, by their ids. */
  blobsOf(files: readonly OutboxFile[]): ReadonlyMap<string, Blob> {
    return new Map(
      files.flatMap(({ id }) => {
        const blob = this.blobOf(id)
        return blob ? [[id, blob] as const] : []
      }),
    )
  }

  /** Uploads a file, unless that is in progress or done. Resolves when it has ended. */
  start(file: OutboxFile): Promise<void> {
    const transfer = this.#transferOf(file)
    if (this.#isUploaded(transfer)) return Promise.resolve()
    if (file.size === 0 || file.size > maxBytes) {
      this.#end(transfer, { kind: 'failed', problem: file.size ? 'tooLarge' : 'empty' })
      return Promise.resolve()
    }
    if (!transfer.running) {
      const controller = new AbortController()
      transfer.controller = controller
      setState(transfer.state, waiting)
      const running = this.#last.then(() => this.#run(transfer, controller)).catch(error => reportError(error))
      transfer.running = running
      this.#last = running
      void running.then(() => {
        if (transfer.running === running) transfer.running = undefined
      })
    }
    return transfer.running
  }

  /**
   * Uploads the files of a message. Resolves to `undefined` if one of them can't be uploaded, or when `abortSignal` aborts.
   */
  async upload(
    files: readonly OutboxFile[],
    abortSignal: AbortSignal,
    shouldStopRetrying: StopCondition,
  ): Promise<AttachmentInput[] | undefined> {
    if (abortSignal.aborted) return undefined
    const scope = this.#scope
    const onAbort = () => {
      for (const file of files) this.#transferOf(file).cancel('Natter: another tab sends the message')
    }
    abortSignal.addEventListener('abort', onAbort)
    try {
      for (const file of files) {
        const transfer = this.#transferOf(file)
        transfer.shouldStopRetrying = shouldStopRetrying
        await this.start(file)
        transfer.shouldStopRetrying = undefined
        const isOver = abortSignal.aborted || this.#scope !== scope
        if (isOver || transfer.state.peek().kind !== 'uploaded') return undefined
      }
      return files.map(file => ({ id: this.#transferOf(file).uploadId, name: file.name }))
    } finally {
      abortSignal.removeEventListener('abort', onAbort)
    }
  }

  /** Forgets that files were uploaded, because the platform may not have them any more. */
  forget(files: readonly OutboxFile[]): void {
    for (const { id } of files) {
      const transfer = this.#transfers.get(id)
      if (transfer) transfer.uploadedAt = 0
    }
  }

  /** Whether the platform has the file, as an upload of this session. Another token begins another session. */
  #isUploaded({ state, uploadedAt, uploadedBy }: Transfer): boolean {
    if (state.peek().kind !== 'uploaded' || uploadedBy !== this.#scope?.token) return false
    return this.#deps.clock.now() < uploadedAt + lifetimeMs
  }

  #transferOf(file: OutboxFile): Transfer {
    return this.#transfers.get(file.id) ?? this.add(file)
  }

  async #run(transfer: Transfer, controller: AbortController): Promise<void> {
    const abortSignal = controller.signal
    const { attachmentApi, acquireToken, backoff, canSend, clock, createId, page, records } = this.#deps
    const { file } = transfer
    const scope = this.#scope
    if (!scope || abortSignal.aborted) return
    // The tab in which the message was written may not have stored its files yet.
    for (let tries = 0; !transfer.blob && tries < maxReads && !abortSignal.aborted; tries++) {
      if (tries) await backoff.wait(tries, abortSignal)
      transfer.blob = await records.readFile(scope.epoch, file.id)
    }
    const credentials = scope.credentials(() => {
      if (!canSend.peek()) return false
      // Set before each attempt, so this is the token of the one that succeeds.
      transfer.uploadedBy = scope.token
      return true
    }, abortSignal)
    let isUnreadable = false
    const onUnreadable = () => {
      if (abortSignal.aborted) return
      isUnreadable = true
      controller.abort('Natter: the file cannot be read')
    }
    for (let tries = 0; !abortSignal.aborted; tries++) {
      const { blob } = transfer
      if (!blob) return this.#end(transfer, { kind: 'failed', problem: 'missing' })
      const attempts = createUploadAttempts(page, (failure, failedTries) => {
        setState(transfer.state, waiting)
        return transfer.shouldStopRetrying?.(failure, failedTries)
      })
      const token = await acquireToken(scope, attempts.shouldStopRetrying)
      if (abortSignal.aborted) return
      const onProgress = (progress: number) => {
        if (!abortSignal.aborted) setState(transfer.state, { kind: 'uploading', progress })
      }
      if (token) onProgress(0)
      const upload =
        token &&
        (await attachmentApi.upload(credentials, attempts.shouldStopRetrying, {
          id: transfer.uploadId,
          blob,
          onProgress,
          onUnreadable,
        }))
      if (isUnreadable) return this.#end(transfer, { kind: 'failed', problem: 'missing' })
      if (abortSignal.aborted) break
      const problem = attempts.problem()
      if (upload) {
        transfer.uploadedAt = clock.now()
        return this.#end(transfer, { kind: 'uploaded', upload })
      }
      if (problem && problem !== 'taken') return this.#end(transfer, { kind: 'failed', problem })
      if (problem) transfer.uploadId = createId()
      setState(transfer.state, waiting)
      // Without a problem, the session is changing, or messages wait.
      if (!problem || tries) await backoff.wait(tries, abortSignal)
    }
    setState(transfer.state, waiting)
  }

  #end(transfer: Transfer, state: UploadState): void {
    updateState(() => {
      transfer.state.value = state
      this.#deps.onEnd(transfer.file, state)
    })
  }
}

/** With the backoff these take some minutes. Failures while offline don't count. */
const maxTries = 10
/** A limit that ends later than this is the limit of the day. */
const longWaitMs = 120_000

interface UploadAttempts {
  /** Decides after each failed attempt whether to retry. */
  readonly shouldStopRetrying: StopCondition
  /** Why the attempts have ended; `taken` if the file needs another id. */
  problem(): FileProblem | 'taken' | undefined
}

/**
 * Counts the attempts to upload a file. `onFailure` is called if another one may succeed. It may decide about giving up, for
 * the message that waits for the file.
 */
function createUploadAttempts(
  page: Pick<Page, 'online'>,
  onFailure: (...args: Parameters<StopCondition>) => boolean | undefined,
): UploadAttempts {
  let problem: FileProblem | 'taken' | undefined
  let countedTries = 0
  return {
    shouldStopRetrying(failure, tries) {
      if (failure.ended) return false
      if (page.online()) countedTries++
      problem = problemOf(failure)
      if (!problem && (onFailure(failure, tries) ?? countedTries > maxTries)) problem = 'network'
      return problem !== undefined
    },
    problem: () => problem,
  }
}

/** Returns why a file can't be sent; `undefined` if another attempt may succeed. */
function problemOf({ status, transient, retryAfterMs }: Parameters<StopCondition>[0]) {
  // Another session has used the id, or the file has changed on the disk.
  if (status === 409) return 'taken'
  if (status === 413) return 'tooLarge'
  if (status === 429 && retryAfterMs > longWaitMs) return 'full'
  return transient ? undefined : 'refused'
}
