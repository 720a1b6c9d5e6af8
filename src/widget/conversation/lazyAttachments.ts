import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { AttachmentInput, Message } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import type { createAttachments } from '../app/createAttachments.ts'
import { withRetries } from '../async/withRetries.ts'
import type { KeepOptions, SessionScope } from '../identity/sessionScope.ts'
import type { OutboxFile } from '../store/guards.ts'
import { setState } from '../updateState.ts'
import type { Attachments } from './attachments/attachments.ts'
import type { Uploads } from './attachments/uploads.ts'
import type { ConversationDeps } from './deps.ts'
import type { PendingMessage } from './pendingMessage.ts'

/** A failure to fetch the code is treated like a request without a response. */
const fetchFailure = { status: 0, transient: true, retryAfterMs: 0, ended: null }

export interface LazyAttachmentsDeps extends ConversationDeps {
  /** Fetches the code. */
  attachments(): Promise<{ createAttachments: typeof createAttachments }>
}

/** The files of messages. Their code is loaded when a message has files, or when the visitor may attach some. */
export class LazyAttachments {
  readonly #deps: LazyAttachmentsDeps
  readonly #model = signal<Attachments | null>(null)
  /** The attempt to load the model that is under way, or the one that has succeeded. */
  #loading: Promise<Attachments | undefined> | undefined
  #scope: SessionScope | undefined

  /** `null` until it has been loaded. */
  readonly model: ReadonlySignal<Attachments | null> = this.#model

  constructor(deps: LazyAttachmentsDeps) {
    this.#deps = deps
  }

  /** What is uploaded, or was. Before the code is loaded that is nothing. */
  get uploads(): Uploads | undefined {
    return this.#model.peek()?.uploads
  }

  /** Loads the model. Resolves to `undefined` when the widget is destroyed. */
  load = (): Promise<Attachments | undefined> => withRetries(this.#load, this.#deps)

  /** Switches to another session. `pending` are the messages that are kept. */
  reset(scope: SessionScope, pending: readonly PendingMessage[], options: KeepOptions): void {
    this.#scope = scope
    const files = pending.flatMap(({ files = [] }) => files)
    this.#model.peek()?.reset(scope, files, options)
  }

  /** Uploads the files of a message. Resolves to `undefined` if that fails, or when `abortSignal` aborts. */
  async upload(
    files: readonly OutboxFile[],
    abortSignal: AbortSignal,
    shouldStopRetrying: StopCondition,
  ): Promise<AttachmentInput[] | undefined> {
    const model = await withRetries(this.#load, {
      backoff: this.#deps.backoff,
      abortSignal,
      shouldGiveUp: failures => shouldStopRetrying(fetchFailure, failures - 1),
    })
    return model?.uploads.upload(files, abortSignal, shouldStopRetrying)
  }

  /** Drops the bytes of files that are neither in the composer nor in one of these messages. */
  keepOnly(messages: readonly Message[], pending: readonly PendingMessage[]): void {
    const files = [...messages.map(({ attachments }) => attachments), ...pending.map(({ files }) => files)].flat()
    this.#model.peek()?.keepOnly(new Set(files.map(file => file?.id)))
  }

  /** Each caller gives up for itself. The attempts are shared. */
  #load = (): Promise<Attachments | undefined> => {
    this.#loading ??= this.#create().catch(error => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  async #create(): Promise<Attachments | undefined> {
    const { createAttachments } = await this.#deps.attachments()
    if (this.#deps.abortSignal.aborted) return undefined
    const model = createAttachments(this.#deps)
    if (this.#scope) model.reset(this.#scope, [], { keepUnsent: false })
    setState(this.#model, model)
    return model
  }
}
