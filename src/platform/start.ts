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

/** What a platform takes, and where it listens and keeps its data. */
export interface StartOptions extends Pick<PlatformOptions, PassedOn> {
  /** The database: a file, `:memory:` or `postgres://…`; default `natter.db` in the working folder. */
  database?: string
  /** The bus between nodes, `nats://…`; without one a node finds in the database what others have written, within 800 ms. */
  natsUrl?: string | undefined
  /** Default 127.0.0.1: this machine only. */
  host?: string
  /** Default 8787; 0 picks a free one. */
  port?: number
  /** The folder of Markdown that the bots answer from; without one they say that they don't know. */
  content?: string | undefined
  /** The key of the endpoints that `openai` bots ask. */
  openaiKey?: string | undefined
  /**
   * How long it goes on serving when it is closed, no longer ready, while its streams move to other nodes; at most 7 s,
   * default 0. A file has no other node.
   */
  drainMs?: number
  /** Makes what is missing to try things out, and a fresh organization token; opens the bot to pages of this machine. */
  dev?: boolean
}
type PassedOn = 'log' | 'logLevel' | 'rateLimit' | 'trustedProxies' | 'metrics' | 'agentPauseMs' | 'retentionDays'

export interface StartedPlatform {
  baseUrl: string
  /** Only with `dev`. */
  botId?: string
  /** Only with `dev`: what that bot is called. */
  botName?: string
  /** Only with `dev`: whose the bot and the token are. */
  organizationId?: string
  /** Only with `dev`; shown nowhere else. */
  organizationToken?: string
  /** Finishes requests under way, tells streams to come back, closes the store; within 10 s. */
  close(): Promise<void>
}

/**
 * Starts a platform on its store, with a server around it; resolves when it accepts requests.
 *
 * @example
 * const { baseUrl, botId, organizationToken, close } = await startPlatform({ database: ':memory:', port: 0, dev: true })
 */
export async function startPlatform(options: StartOptions = {}): Promise<StartedPlatform> {
  const { database = 'natter.db', natsUrl, host = '127.0.0.1', port = 8787, ...others } = options
  const { content, openaiKey, dev = false, drainMs, ...rest } = others
  const { log } = rest
  await checkAddress({ host, port })
  const responder = await createResponders({ content, openaiKey })
  const { store, release } = await openLockedStore(database)
  const undo: (() => unknown)[] = [release, store.close]
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const access = dev ? await prepareDevelopment(store, { content: content !== undefined }) : undefined
    // A token that was handed around to try things out must not open what is served in earnest.
    if (!dev) await endDevelopment(store)
    if (log)
      await warnOfGaps(createLogger(log, rest.logLevel), await store.listBots(), {
        database: nameOfDatabase(database),
        openaiKey,
      })
    const bus = natsUrl === undefined ? undefined : await openBus(natsUrl, createLogger(log, rest.logLevel))
    const platform = createPlatform({
      ...rest,
      store,
      responder,
      ...(bus && { bus }),
      ...(access && { devBotId: access.botId }),
    })
    undo.push(platform.close)
    const server = await startServer(platform, { host, port, drainMs: isPostgres(database) ? drainMs : 0 })
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
  'the bus refuses this node: the user and password, or the token, of its address must be known there, and may use all of natter.>'
const withoutIt = 'other nodes are heard of by the store alone, within 800 ms'

/** The platform goes on without it, and closes it. */
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
  if (bots.length === 0) log.warn({ database }, 'this store holds no bot: see natter bot --help, or another --database')
  for (const { id, responder } of bots) {
    if (responder.kind !== 'openai') continue
    for (const sentence of await listMissing(responder, { key: openaiKey })) log.warn({ botId: id }, sentence)
  }
}

/** An address under which a program of this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
