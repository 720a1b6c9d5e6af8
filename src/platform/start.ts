import { prepareDevelopment } from './development.ts'
import { createLogger } from './middleware/log.ts'
import type { LogSink } from './middleware/logSink.ts'
import { createPlatform } from './platform.ts'
import { createFaqResponder } from './responders/faq.ts'
import { startServer } from './server.ts'
import { createSqliteStore } from './store/sqlite/sqliteStore.ts'

export interface StartOptions {
  /** The database file, or `:memory:`; default `natter.db` in the working folder. */
  database?: string
  /** Default 127.0.0.1: this machine only. */
  host?: string
  /** Default 8787; 0 picks a free one. */
  port?: number
  /** The folder of Markdown that the bots answer from; without one they say that they don't know. */
  content?: string
  /** Makes what is missing to try things out, and a fresh organization token; opens the bot to pages of this machine. */
  dev?: boolean
  /** Takes the log, one line of JSON at a time; default: nothing is logged. */
  log?: LogSink
}

export interface StartedPlatform {
  baseUrl: string
  /** Only with `dev`. */
  botId?: string
  /** Only with `dev`; shown nowhere else. */
  organizationToken?: string
  /** Finishes requests under way, tells streams to come back, closes the store; within 10 s. */
  close(): Promise<void>
}

/**
 * Starts a platform on its embedded store, with a server around it; resolves when it accepts requests.
 *
 * @example
 * const { baseUrl, botId, organizationToken, close } = await startPlatform({ database: ':memory:', port: 0, dev: true })
 */
export async function startPlatform(options: StartOptions = {}): Promise<StartedPlatform> {
  const { database = 'natter.db', host = '127.0.0.1', port = 8787, content, dev = false, log } = options
  const responder = await createFaqResponder({ folder: content })
  const store = await createSqliteStore({ file: database })
  try {
    const access = dev ? await prepareDevelopment(store) : undefined
    if (log && (await store.listBots()).length === 0)
      createLogger(log).warn({ database }, 'this store holds no bot: see natter bot --help, or another --database')
    const platform = createPlatform({
      store,
      responder,
      ...(log && { log }),
      ...(access && { devBotId: access.botId }),
    })
    const server = await startServer(platform, { host, port }).catch(async error => {
      await platform.close()
      throw error
    })
    let closing: Promise<void> | undefined
    const close = async (): Promise<void> => {
      await server.close()
      await platform.close()
      await store.close()
    }
    return {
      baseUrl: `http://${reachable(host)}:${server.port}`,
      ...access,
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** An address under which a program of this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
