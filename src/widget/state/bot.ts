import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotFace } from '../../contract/index.ts'
import type { Doors } from './scope.ts'

/** The bot as anyone may see it. */
export interface Bot {
  readonly bot: ReadonlySignal<BotFace | null>
  readonly botStatus: ReadonlySignal<'loading' | 'ready' | 'unavailable'>
  /** Fetches the face unless it is there; goes on trying while the platform doesn't answer. */
  load(): Promise<void>
}

export function createBot({ wire, patience, emit }: Doors, over: AbortSignal): Bot {
  const bot = signal<BotFace | null>(null)
  const botStatus = signal<'loading' | 'ready' | 'unavailable'>('loading')
  let loading = false
  return {
    bot,
    botStatus,
    async load() {
      if (bot.peek()) return
      if (loading) return patience.wake()
      loading = true
      const face = await wire.retrieveBotFace({ token: null, over }, undefined, ({ transient }) => {
        if (botStatus.peek() === 'loading') emit('error', { code: 'bot_unavailable' })
        botStatus.value = 'unavailable'
        return !transient
      })
      loading = false
      if (!face) return
      bot.value = face
      botStatus.value = 'ready'
    },
  }
}
