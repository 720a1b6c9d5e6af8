import { type Clock, systemClock } from '../clock.ts'
import { decryptSecrets } from '../secrets/botSecrets.ts'
import { createSecretCipher } from '../secrets/secretCipher.ts'
import { createEgressClient } from '../webhooks/egressFetch.ts'
import type { EgressPolicy } from '../webhooks/egressPolicy.ts'
import { findSections } from './contentPrompt.ts'
import { readContent } from './contentSections.ts'
import { createFaqResponder } from './faq.ts'
import { askModel, keyFor, openaiUrl } from './openai.ts'
import type { Responder } from './responder.ts'
import { createSectionSearch } from './sectionSearch.ts'
import { askWebhook } from './webhook.ts'

export interface RespondersOptions {
  /** The folder of Markdown files of `faq` bots without a folder of their own; default: they have no answers. */
  content?: string | undefined
  /** The address below which the pages of these files are; default: they have none. */
  contentUrl?: string | undefined
  /** The API key of `openai` bots that have none of their own. It is sent to `openaiBaseUrl` only. */
  openaiKey?: string | undefined
  /** The base URL that `openaiKey` is for; default `https://api.openai.com/v1`. */
  openaiBaseUrl?: string | undefined
  /** The keys that decrypt the stored secrets, in the form of `NATTER_ENCRYPTION_KEYS`. */
  encryptionKeys?: string | undefined
  /** Where `webhook` and `openai` bots may send requests; default `any`. */
  egress?: EgressPolicy | undefined
  /** Reads the folders again for each answer, for development. Default: no. */
  reread?: boolean
  /** Pause between two words of a `faq` answer, in milliseconds; default 25. */
  paceMs?: number
  /** Default: the system's. */
  clock?: Clock
}

/** A folder of content, and the address below which its pages are. */
type ContentFolder = Pick<RespondersOptions, 'content' | 'contentUrl'>

/** The responders of all bots, as one. */
export interface Responders extends Responder {
  /** Closes the connections to webhooks and model endpoints. Call it after the platform has been closed. */
  close(): Promise<void>
}

/**
 * Creates a responder that dispatches each turn to the responder of its bot. Throws if the folder of `content` cannot be
 * read; the folder of a bot is read at its first turn.
 */
export async function createResponders(options: RespondersOptions = {}): Promise<Responders> {
  const { egress = 'any', paceMs, clock = systemClock } = options
  const platformKey = { key: options.openaiKey, baseUrl: options.openaiBaseUrl ?? openaiUrl }
  const cipher = createSecretCipher(options.encryptionKeys)
  const client = createEgressClient({ policy: egress })
  const { fetch } = client
  /** Makes something of a folder, once a folder unless it is read again for each answer. */
  function onceAFolder<Made>(make: (folder: ContentFolder) => Promise<Made>) {
    const all = new Map<string, Promise<Made>>()
    return ({ content, contentUrl }: ContentFolder): Promise<Made> => {
      const key = JSON.stringify([content, contentUrl])
      const found = options.reread ? undefined : all.get(key)
      if (found) return found
      const made = make({ content, contentUrl })
      all.set(key, made)
      // The folder may exist by the next turn.
      made.catch(() => all.delete(key))
      return made
    }
  }
  const faqOf = onceAFolder(({ content, contentUrl }) =>
    createFaqResponder({ folder: content, baseUrl: contentUrl, ...(paceMs !== undefined && { paceMs }) }),
  )
  const searchOf = onceAFolder(async ({ content = '', contentUrl }) =>
    createSectionSearch(await readContent(content, contentUrl)),
  )
  await faqOf(options)

  return {
    async *answer(question, signal) {
      const { id } = question.bot
      // An unreadable secret of a responder that is not in use must not cost the answer.
      const { unused: _, ...responder } = question.bot.responder
      const settings = decryptSecrets(cipher, id, { responder }).responder
      switch (settings.kind) {
        case 'none':
          yield { silent: true }
          return
        case 'faq':
          yield* (await faqOf(settings.content === undefined ? options : settings)).answer(question, signal)
          return
        case 'webhook':
          yield* askWebhook(settings, question, { clock, signal, fetch })
          return
        case 'openai': {
          const hasContent = settings.content !== undefined
          const sections = hasContent ? findSections(await searchOf(settings), question) : undefined
          const key = keyFor(settings, platformKey)
          yield* askModel(settings, question, { clock, signal, fetch, key, sections })
        }
      }
    },
    close: client.close,
  }
}
