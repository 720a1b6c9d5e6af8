import { createModel, type ReadonlySignal, signal } from '@preact/signals-core'
import type { BotFace } from '../../contract/index.ts'
import type { Patience } from '../transport/patience.ts'
import type { Wire } from '../transport/wire.ts'

/** The bot as anyone may see it. */
export interface Bot {
  readonly bot: ReadonlySignal<BotFace | null>
  readonly botStatus: ReadonlySignal<'loading' | 'ready' | 'unavailable'>
  /** Fetches the face unless it is there; goes on trying while the platform doesn't answer. */
  load(): Promise<void>
}

export interface BotDoors {
  wire: Wire
  patience: Patience
  /** The widget's end. */
  over: AbortSignal
  onUnavailable(): void
}

const Model = createModel(({ wire, patience, over, onUnavailable }: BotDoors) => {
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
      for (let tries = 0; !over.aborted; tries++) {
        const answer = await wire.retrieveBotFace()
        if (over.aborted) return
        if (answer.ok) {
          bot.value = answer.data
          botStatus.value = 'ready'
          break
        }
        if (botStatus.peek() !== 'unavailable') onUnavailable()
        botStatus.value = 'unavailable'
        if (!answer.transient) break
        await patience.wait(tries, over, answer.retryAfterMs)
      }
      loading = false
    },
  }
})

export const createBot = (doors: BotDoors): Bot => new Model(doors)
