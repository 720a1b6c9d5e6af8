import type { Bus } from './bus/bus.ts'
import { createNatsBus } from './bus/nats.ts'
import { readNatsAddress } from './bus/natsAddress.ts'
import { endDevelopment, prepareDevelopment } from './development.ts'
import { createLogger } from './middleware/log.ts'
import { nameOfDatabase, openLockedStore } from './openStore.ts'
import { createPlatform, type PlatformOptions } from './platform.ts'
import { listMissing } from './responders/openai.ts'
import { openaiUrl, type PlatformKey } from './responders/openaiKey.ts'
import { createResponders } from './responders/responders.ts'
import { decryptSecrets, listSecrets } from './secrets/botSecrets.ts'
import { createSecretCipher, isEncrypted, type SecretCipher } from './secrets/secretCipher.ts'
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
  /** The API key of `openai` bots that have none of their own. It is sent to `openaiBaseUrl` only. */
  openaiKey?: string | undefined
  /** The base URL that `openaiKey` is for; default `https://api.openai.com/v1`. */
  openaiBaseUrl?: string | undefined
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
  | 'limits'
  | 'trustedProxies'
  | 'metrics'
  | 'agentPauseMs'
  | 'retentionDays'
  | 'egress'
  | 'encryptionKeys'

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
  const { content, openaiKey, openaiBaseUrl = openaiUrl, dev = false, drainMs, ...rest } = others
  const { log } = rest
  const logger = createLogger(log, rest.logLevel)
  await checkAddress({ host, port })
  const responder = await createResponders({
    ...{ content, openaiKey, openaiBaseUrl },
    egress: rest.egress,
    encryptionKeys: rest.encryptionKeys,
  })
  const { store, release } = await openLockedStore(database)
  const undo: (() => unknown)[] = [release, store.close, responder.close]
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const access = dev ? await prepareDevelopment(store, { content: content !== undefined }) : undefined
    // A development token must not work on a server that runs without `dev`.
    if (!dev) await endDevelopment(store)
    const bots = await store.listBots()
    const cipher = createSecretCipher(rest.encryptionKeys)
    // Otherwise the first event or question would be the one to find out.
    for (const bot of bots) decryptSecrets(cipher, bot.id, bot)
    if (log) {
      const platformKey = { key: openaiKey, baseUrl: openaiBaseUrl }
      await warnOfGaps(logger, bots, { database: nameOfDatabase(database), platformKey, cipher })
    }
    const bus = natsUrl === undefined ? undefined : await openBus(natsUrl, logger)
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
  { database, platformKey, cipher }: { database: string; platformKey: PlatformKey; cipher: SecretCipher },
): Promise<void> {
  if (bots.length === 0)
    log.warn({ database }, 'the database has no bot: create one (natter bot --help), or choose another --database')
  const unencrypted = bots.flatMap(bot => listSecrets(bot.id, bot)).filter(secret => !isEncrypted(secret)).length
  if (cipher.keyId !== undefined && unencrypted > 0)
    log.warn({ secrets: unencrypted }, 'secrets in the database are not encrypted yet: run "natter secret encrypt"')
  for (const { id, responder } of bots) {
    if (responder.kind !== 'openai') continue
    for (const sentence of await listMissing(responder, platformKey)) log.warn({ botId: id }, sentence)
  }
}

/** The host name by which this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
