import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotProfile } from '../../contract/index.ts'
import type { ApiClient } from '../api/apiClient.ts'
import { setState, updateState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'

/** The bot's public profile. */
export class BotProfileModel {
  readonly #deps: ConversationDeps
  readonly #profile = signal<BotProfile | null>(null)
  readonly #status = signal<'loading' | 'ready' | 'unavailable'>('loading')
  #loading: Promise<void> | undefined
  #hasMessages = false

  readonly profile: ReadonlySignal<BotProfile | null> = this.#profile
  /** `unavailable` if the platform doesn't know the bot or can't be reached. */
  readonly status: ReadonlySignal<'loading' | 'ready' | 'unavailable'> = this.#status

  constructor(deps: ConversationDeps) {
    this.#deps = deps
  }

  /** Loads the profile once. Retries until the platform responds. */
  load = (): Promise<void> => {
    this.#deps.backoff.retryNow()
    this.#loading ??= this.#fetch(this.#deps.api.retrieveBotProfile)
    return this.#loading
  }

  /** Loads the profile again. Call it when a response contradicts the profile, which may be cached for a minute. */
  async reload(): Promise<void> {
    await this.#loading
    this.#loading = this.#fetch(this.#deps.api.reloadBotProfile)
    await this.#loading
  }

  /** A message has been stored, or an answer streams in: the chat is available, even if the profile can't be fetched. */
  noteMessage(): void {
    this.#hasMessages = true
    if (this.#status.peek() === 'unavailable') setState(this.#status, 'loading')
  }

  async #fetch(retrieve: ApiClient['retrieveBotProfile']): Promise<void> {
    const { abortSignal, emit, onRefused } = this.#deps
    const profile = await retrieve({ token: null, abortSignal }, () => {
      if (this.#hasMessages) return false
      if (this.#status.peek() === 'loading') {
        emit('error', { code: 'bot_unavailable' })
        onRefused()
      }
      setState(this.#status, 'unavailable')
      return false
    })
    if (profile) {
      updateState(() => {
        this.#profile.value = profile
        this.#status.value = 'ready'
      })
    } else this.#loading = undefined
  }
}
