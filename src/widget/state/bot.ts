import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotFace } from '../../contract/index.ts'
import type { Doors } from './scope.ts'

export interface BotDoors extends Doors {
  onRefused(): void
}

/** The bot as anyone may see it. */
export interface Bot {
  readonly bot: ReadonlySignal<BotFace | null>
  readonly botStatus: ReadonlySignal<'loading' | 'ready' | 'unavailable'>
  /** Fetches the face unless it is there; goes on trying while the platform doesn't answer. */
  retryBot(): Promise<void>
}

export function createBot({ wire, patience, emit, over, onRefused }: BotDoors): Bot {
  const bot = signal<BotFace | null>(null)
  const botStatus = signal<'loading' | 'ready' | 'unavailable'>('loading')
  let loading: Promise<void> | undefined

  async function load() {
    const face = await wire.retrieveBotFace({ token: null, over }, ({ transient }) => {
      if (botStatus.peek() === 'loading') {
        emit('error', { code: 'bot_unavailable' })
        onRefused()
      }
      botStatus.value = 'unavailable'
      return !transient
    })
    if (face) {
      bot.value = face
      botStatus.value = 'ready'
    } else loading = undefined
  }

  return {
    bot,
    botStatus,
    retryBot() {
      patience.wake()
      loading ??= load()
      return loading
    },
  }
}
