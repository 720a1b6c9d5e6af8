import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotProfile as BotProfileData } from '../../../contract/index.ts'
import type { Deps } from '../session/sessionScope.ts'

export interface BotProfileDeps extends Deps {
  onRefused(): void
}

/** The bot as anyone may see it. */
export interface BotProfile {
  readonly profile: ReadonlySignal<BotProfileData | null>
  /** `unavailable` where the platform doesn't know the bot or doesn't answer. */
  readonly status: ReadonlySignal<'loading' | 'ready' | 'unavailable'>
  /** Fetches the face unless it is there; goes on trying while the platform doesn't answer. */
  load(): Promise<void>
}

export function createBotProfile({ api, backoff, emit, abortSignal, onRefused }: BotProfileDeps): BotProfile {
  const profile = signal<BotProfileData | null>(null)
  const status = signal<'loading' | 'ready' | 'unavailable'>('loading')
  let loading: Promise<void> | undefined

  async function fetchProfile() {
    const face = await api.retrieveBotProfile({ token: null, abortSignal }, ({ transient }) => {
      if (status.peek() === 'loading') {
        emit('error', { code: 'bot_unavailable' })
        onRefused()
      }
      status.value = 'unavailable'
      return !transient
    })
    if (face) {
      profile.value = face
      status.value = 'ready'
    } else loading = undefined
  }

  return {
    profile,
    status,
    load() {
      backoff.retryNow()
      loading ??= fetchProfile()
      return loading
    },
  }
}
