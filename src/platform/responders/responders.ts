import { type Clock, systemClock } from '../clock.ts'
import { createFaqResponder } from './faq.ts'
import { askModel } from './openai.ts'
import type { Responder } from './responder.ts'
import { askWebhook } from './webhook.ts'

export interface RespondersOptions {
  /** The folder of Markdown of `faq` bots that name none of their own; without one they say that they don't know. */
  content?: string | undefined
  /** Key of the endpoints that `openai` bots ask; it goes to every one of them. */
  openaiKey?: string | undefined
  /** Pause between two words of a `faq` answer, in milliseconds; default 25. */
  paceMs?: number
  /** Default: the system's. */
  clock?: Clock
}

/**
 * Every responder there is, as one: each turn is answered by the one that its bot is configured for at that moment.
 * Throws where the folder of `content` can't be read; one that a bot names is read at its first turn.
 */
export async function createResponders(options: RespondersOptions = {}): Promise<Responder> {
  const { content, openaiKey, paceMs, clock = systemClock } = options
  const folders = new Map<string | undefined, Promise<Responder>>()
  const faqOf = (folder: string | undefined): Promise<Responder> => {
    const found = folders.get(folder)
    if (found) return found
    const made = createFaqResponder({ folder, ...(paceMs !== undefined && { paceMs }) })
    folders.set(folder, made)
    // It may be there by the next turn.
    made.catch(() => folders.delete(folder))
    return made
  }
  await faqOf(content)

  return {
    async *answer(question, signal) {
      const settings = question.bot.responder
      switch (settings.kind) {
        case 'none':
          yield { silent: true }
          return
        case 'faq':
          yield* (await faqOf(settings.content ?? content)).answer(question, signal)
          return
        case 'webhook':
          yield* askWebhook(settings, question, { clock, signal })
          return
        case 'openai':
          yield* askModel(settings, question, { clock, signal, key: openaiKey })
      }
    },
  }
}
