import { type Clock, systemClock } from '../clock.ts'
import { createEgressFetch } from '../webhooks/egressFetch.ts'
import type { EgressPolicy } from '../webhooks/egressPolicy.ts'
import { createFaqResponder } from './faq.ts'
import { askModel } from './openai.ts'
import type { Responder } from './responder.ts'
import { askWebhook } from './webhook.ts'

export interface RespondersOptions {
  /** The folder of Markdown files of `faq` bots without a folder of their own. */
  content?: string | undefined
  /** The API key for the endpoints of `openai` bots. Every endpoint gets it. */
  openaiKey?: string | undefined
  /** Where `webhook` and `openai` bots may send requests; default `any`. */
  egress?: EgressPolicy | undefined
  /** Pause between two words of a `faq` answer, in milliseconds; default 25. */
  paceMs?: number
  /** Default: the system's. */
  clock?: Clock
}

/**
 * A responder that dispatches each turn to the responder of its bot. Throws if the folder of `content` cannot be read;
 * the folder of a bot is read at its first turn.
 */
export async function createResponders(options: RespondersOptions = {}): Promise<Responder> {
  const { content, openaiKey, egress = 'any', paceMs, clock = systemClock } = options
  const fetch = createEgressFetch({ policy: egress })
  const folders = new Map<string | undefined, Promise<Responder>>()
  const faqOf = (folder: string | undefined): Promise<Responder> => {
    const found = folders.get(folder)
    if (found) return found
    const made = createFaqResponder({ folder, ...(paceMs !== undefined && { paceMs }) })
    folders.set(folder, made)
    // The folder may exist by the next turn.
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
          yield* askWebhook(settings, question, { clock, signal, fetch })
          return
        case 'openai':
          yield* askModel(settings, question, { clock, signal, fetch, key: openaiKey })
      }
    },
  }
}
