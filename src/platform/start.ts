import type { Bus } from './bus/bus.ts'
import { createNatsBus } from './bus/nats.ts'
import { readNatsAddress } from './bus/natsAddress.ts'
import { endDevelopment, prepareDevelopment } from './development.ts'
import { createLogger } from './middleware/log.ts'
import { nameOfDatabase, openLockedStore } from './openStore.ts'
import { createPlatform, type PlatformOptions } from './platform.ts'
import { listMissing } from './responders/openai.ts'
import { createResponders } from './responders/responders.ts'
import { checkAddress, startServer } from './server.ts'
import { isPostgres } from './store/postgres/address.ts'
import type { Bot } from './store/store.ts'

/** Options of a platform together with its server and its database. */
export interface StartOptions extends Pick<PlatformOptions, PassedOn> {
  /** The database: a file, `:memory:` or `postgres://…`; default `natter.db` in the working folder. */
  database?: string
  /**
   * The message bus between nodes, `nats://…`. Without one a node polls the database for what others have written,
   * every 800 ms.
   */
  natsUrl?: string | undefined
  /** Default 127.0.0.1: this machine only. */
  host?: string
  /** Default 8787; 0 picks a free one. */
  port?: number
  /** The folder of Markdown files that `faq` bots answer from; without one they have no answers. */
  content?: string | undefined
  /** The API key for the endpoints of `openai` bots. */
  openaiKey?: string | undefined
  /**
   * How long to keep serving after `close`, no longer ready, while streams move to other nodes; at most 7 s,
   * default 0. Ignored with a file, which only one node uses.
   */
  drainMs?: number
  /**
   * For trying things out: creates an organization and a bot if there are none, and a new organization token. Pages on
   * localhost can embed the bot.
   */
  dev?: boolean
}
type PassedOn =
  | 'log'
  | 'logLevel'
  | 'rateLimit'
  | 'trustedProxies'
  | 'metrics'
  | 'agentPauseMs'
  | 'retentionDays'
  | 'egress'

export interface StartedPlatform {
  baseUrl: string
  /** Only with `dev`. */
  botId?: string
  /** Only with `dev`: the bot's name. */
  botName?: string
  /** Only with `dev`: the organization of the bot and the token. */
  organizationId?: string
  /** Only with `dev`; shown nowhere else. */
  organizationToken?: string
  /** Finishes requests in progress, tells streams to reconnect, closes the store; takes at most 10 s. */
  close(): Promise<void>
}

/**
 * Opens a database and starts a platform and a server on it; resolves when it accepts requests.
 *
 * @example
 * const { baseUrl, botId, organizationToken, close } = await startPlatform({ database: ':memory:', port: 0, dev: true
 * })
 */
export async function startPlatform(options: StartOptions = {}): Promise<StartedPlatform> {
  const { database = 'natter.db', natsUrl, host = '127.0.0.1', port = 8787, ...others } = options
  const { content, openaiKey, dev = false, drainMs, ...rest } = others
  const { log } = rest
  const logger = createLogger(log, rest.logLevel)
  await checkAddress({ host, port })
  const responder = await createResponders({ content, openaiKey, egress: rest.egress })
  const { store, release } = await openLockedStore(database)
  const undo: (() => unknown)[] = [release, store.close]
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const access = dev ? await prepareDevelopment(store, { content: content !== undefined }) : undefined
    // A development token must not work on a server that runs without `dev`.
    if (!dev) await endDevelopment(store)
    if (log)
      await warnOfGaps(logger, await store.listBots(), {
        database: nameOfDatabase(database),
        openaiKey,
      })
    const bus = natsUrl === undefined ? undefined : await openBus(natsUrl, logger)
    const platform = createPlatform({
      ...rest,
      store,
      responder,
      ...(bus && { bus }),
      ...(access && { devBotId: access.botId }),
    })
    undo.push(platform.close)
    const server = await startServer(platform, {
      ...{ host, port, drainMs: isPostgres(database) ? drainMs : 0 },
      onError: error => logger.error({ err: error }, 'failed'),
    })
    undo.push(server.close)
    let closing: Promise<void> | undefined
    return {
      baseUrl: `http://${reachableHost(host)}:${server.port}`,
      ...access,
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

const refused =
  'the bus refuses this node: check the user and password, or the token, in its address; they need permission for natter.>'
const withoutIt = 'this node polls the store instead, every 800 ms'

/** Connects in the background: the platform also works without the bus. The platform closes it. */
function openBus(url: string, log: ReturnType<typeof createLogger>): Promise<Bus> {
  const { name } = readNatsAddress(url)
  return createNatsBus({
    url,
    onConnected: () => log.info({ bus: name }, 'connected to the bus'),
    onLost: error => log.warn({ bus: name, err: error }, `no bus: ${withoutIt}`),
    onRefused: error => log.error({ bus: name, err: error }, `${refused}; ${withoutIt}`),
  })
}

async function warnOfGaps(
  log: ReturnType<typeof createLogger>,
  bots: Bot[],
  { database, openaiKey }: Required<Pick<StartOptions, 'database' | 'openaiKey'>>,
): Promise<void> {
  if (bots.length === 0)
    log.warn({ database }, 'the database has no bot: create one (natter bot --help), or choose another --database')
  for (const { id, responder } of bots) {
    if (responder.kind !== 'openai') continue
    for (const sentence of await listMissing(responder, { key: openaiKey })) log.warn({ botId: id }, sentence)
  }
}

/** The host name by which this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
