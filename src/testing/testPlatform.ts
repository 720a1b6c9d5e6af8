import { scriptTag } from '../contract/scriptTag.ts'
import { createCleanup } from '../platform/cleanup.ts'
import {
  createPlatform,
  createSqliteStore,
  type DevelopmentAccess,
  prepareDevelopment,
  type Responder,
  startServer,
} from '../platform/index.ts'
import { createClient, type NatterClient } from '../sdk/index.ts'

export interface TestPlatformOptions {
  /**
   * Answers a visitor's message. `null` is no answer. If it throws, the chat shows that the bot can't answer. Default: no
   * message is answered.
   */
  answer?: (text: string) => string | null | Promise<string | null>
  /** The bot's name. Default `Acme Outfitters`. */
  name?: string
  /** What the bot says first. Default `Hello!\nHow can we help?`. */
  greeting?: string
  /** Origins that may embed the bot, such as `https://shop.test`, besides all ports of localhost. */
  origins?: string[]
}

/** A running platform with one organization and one bot. */
export interface TestPlatform {
  /** The platform's address, on a free port of this machine. */
  baseUrl: string
  /** The bot's id. */
  botId: string
  /** For your site's server: it creates contacts and contact tokens with it. */
  organizationToken: string
  /** A client of the organization. */
  client: NatterClient
  /** The script tag that embeds the bot. */
  scriptTag: string
  /** Ends open streams, stops the server, and deletes all data. */
  close(): Promise<void>
}

/**
 * Starts a whole platform in this process, with its data in memory and without rate limits. Each call starts another one.
 *
 * @example
 * const natter = await startTestPlatform({ answer: text => `You asked: ${text}` })
 * const ada = await natter.client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
 */
export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const { answer, name, greeting, origins } = options
  const started = createCleanup()
  try {
    const store = await createSqliteStore({ file: ':memory:' })
    started.add('store', store.close)
    const { botId, organizationToken }: DevelopmentAccess = await prepareDevelopment(store)
    await store.updateBot(botId, {
      ...(name !== undefined && { name }),
      ...(greeting !== undefined && { greeting }),
      ...(origins !== undefined && { origins }),
    })
    const responder = answer && createResponder(answer)
    const platform = createPlatform({ store, rateLimit: 0, devBotId: botId, ...(responder && { responder }) })
    started.add('platform', platform.close)
    const server = await startServer(platform, { host: '127.0.0.1', port: 0 })
    started.add('server', server.close)
    const baseUrl = `http://127.0.0.1:${server.port}`
    return {
      baseUrl,
      botId,
      organizationToken,
      client: createClient({ baseUrl, botId, organizationToken }),
      scriptTag: scriptTag(baseUrl, { id: botId }),
      close: async () => void (await started.close()),
    }
  } catch (error) {
    await started.close().catch(() => {})
    throw error
  }
}

function createResponder(answer: NonNullable<TestPlatformOptions['answer']>): Responder {
  return {
    async *answer({ messages }) {
      const question = messages.findLast(({ author }) => author === 'visitor')
      const text = await answer(question?.text ?? '')
      yield text === null ? { silent: true } : { text }
    },
  }
}
