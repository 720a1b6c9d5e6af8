import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotProfile } from '../../../contract/index.ts'
import type { ApiClient } from '../../api/apiClient.ts'
import type { Deps } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'

export interface BotProfileDeps extends Pick<Deps, 'api' | 'backoff' | 'emit' | 'abortSignal'> {
  /** The platform doesn't let this page read the profile, or can't be reached. */
  onRefused(): void
}

/** The bot as anyone may see it. */
export class BotProfileModel {
  readonly #deps: BotProfileDeps
  readonly #profile = signal<BotProfile | null>(null)
  readonly #status = signal<'loading' | 'ready' | 'unavailable'>('loading')
  #loading: Promise<void> | undefined
  #hasAnswered = false

  readonly profile: ReadonlySignal<BotProfile | null> = this.#profile
  /** `unavailable` where the platform doesn't know the bot or doesn't answer. */
  readonly status: ReadonlySignal<'loading' | 'ready' | 'unavailable'> = this.#status

  constructor(deps: BotProfileDeps) {
    this.#deps = deps
  }

  /** Fetches the profile unless it is there. Goes on trying while the platform doesn't answer. */
  load = (): Promise<void> => {
    this.#deps.backoff.retryNow()
    this.#loading ??= this.#fetch(this.#deps.api.retrieveBotProfile)
    return this.#loading
  }

  /** Fetches it again: the platform has done what the profile, which may be a minute old, says otherwise of. */
  async reload(): Promise<void> {
    await this.#loading
    this.#loading = this.#fetch(this.#deps.api.reloadBotProfile)
    await this.#loading
  }

  /** The bot has answered a visitor: it is there, even if its profile can't be fetched. */
  noteAnswer(): void {
    this.#hasAnswered = true
    if (this.#status.peek() !== 'unavailable') return
    updateState(() => {
      this.#status.value = 'loading'
    })
  }

  async #fetch(retrieve: ApiClient['retrieveBotProfile']): Promise<void> {
    const { abortSignal, emit, onRefused } = this.#deps
    const profile = await retrieve({ token: null, abortSignal }, () => {
      if (this.#hasAnswered) return false
      if (this.#status.peek() === 'loading') {
        emit('error', { code: 'bot_unavailable' })
        onRefused()
      }
      updateState(() => {
        this.#status.value = 'unavailable'
      })
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
