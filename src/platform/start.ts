import type { Bus } from './bus/bus.ts'
import { createNatsBus } from './bus/nats.ts'
import { readNatsAddress } from './bus/natsAddress.ts'
import { createCleanup } from './cleanup.ts'
import { systemClock } from './clock.ts'
import { prepareDevelopment, revokeDevelopmentTokens } from './development.ts'
import { invitationUrl, issueInvitation } from './domain/members.ts'
import { timestamp } from './domain/time.ts'
import { createLogger } from './http/log.ts'
import { checkAddress, startServer } from './http/server.ts'
import { version } from './packageFiles.ts'
import { createPlatform, type PlatformOptions } from './platform.ts'
import { missingKey, openaiUrl, type PlatformKey } from './responders/openai.ts'
import { createResponders, type RespondersOptions } from './responders/responders.ts'
import { decryptSecrets, listSecrets } from './secrets/botSecrets.ts'
import { createSecretCipher, isEncrypted, type SecretCipher } from './secrets/secretCipher.ts'
import { nameOfDatabase, openStore } from './store/openStore.ts'
import { isPostgres } from './store/postgres/address.ts'
import type { Bot, Store } from './store/store.ts'

/** Options of a platform together with its server and its database. */
export interface StartOptions
  extends Omit<PlatformOptions, NotOffered>,
    Pick<RespondersOptions, 'content' | 'contentUrl' | 'openaiKey' | 'openaiBaseUrl'> {
  /** The database: a file, `:memory:` or `postgres://…`; default: `natter.db` in the working directory. */
  database?: string
  /**
   * The message bus between nodes, `nats://…`. Without a bus, a node polls the database every 800 ms for what other nodes
   * have written.
   */
  natsUrl?: string | undefined
  /** The address to listen on; default 127.0.0.1, which only this machine can reach. */
  host?: string
  /** The port to listen on; default 8787. 0 picks a free port. */
  port?: number
  /**
   * Time in milliseconds to keep serving after `close`, while streams move to other nodes; at most 7000, default 0.
   * Ignored if the database is a file, which only one node uses.
   */
  drainMs?: number
  /**
   * For development: creates an organization and a bot if there are none, and a new organization token. Pages on
   * localhost can embed the bot. A bot that it creates takes files, asks for ratings, and lets visitors talk to a person.
   */
  dev?: boolean
  /** With `dev`: an organization token of an earlier start to keep, if it still works. */
  devToken?: string | undefined
  /**
   * Replaces the global `Request` and `Response` of the process by faster ones, for good: a third more requests a second.
   * Only for a process that does nothing else, such as `natter serve`. Default `false`.
   */
  replaceGlobals?: boolean
}
/** What a started platform creates itself, or what only tests replace. */
type NotOffered = 'store' | 'responder' | 'bus' | 'clock' | 'devBotId' | 'readBuiltFile'

export interface StartedPlatform {
  /** The URL under which this machine reaches the server. */
  baseUrl: string
  /** The bot's id; only with `dev`. */
  botId?: string
  /** The bot's name; only with `dev`. */
  botName?: string
  /** The id of the organization that has the bot and the token; only with `dev`. */
  organizationId?: string
  /** A new organization token; only with `dev`. It is not stored, and not shown again. */
  organizationToken?: string
  /** A link with which the first admin joins the desk, within 24 hours; only with `dev`, while nobody has joined. */
  invitationUrl?: string
  /** Finishes requests in progress, tells streams to reconnect, and closes the database; takes at most 10 s. */
  close(): Promise<void>
}

/**
 * Opens a database, and starts a platform and a server for it; resolves when the server accepts requests. Rejects with an
 * error that says what to do if the address is not available, or the database or the content cannot be opened.
 *
 * @example
 * const { baseUrl, botId, organizationToken, close } = await startPlatform({ database: ':memory:', port: 0, dev: true })
 */
export async function startPlatform(options: StartOptions = {}): Promise<StartedPlatform> {
  const {
    database = 'natter.db',
    natsUrl,
    host = '127.0.0.1',
    port = 8787,
    content,
    contentUrl,
    openaiKey,
    openaiBaseUrl = openaiUrl,
    dev = false,
    devToken,
    drainMs,
    replaceGlobals = false,
    ...rest
  } = options
  const { log } = rest
  const logger = createLogger(log, rest.logLevel)
  await checkAddress({ host, port })
  const responder = await createResponders({
    content,
    contentUrl,
    openaiKey,
    openaiBaseUrl,
    reread: dev,
    egress: rest.egress,
    encryptionKeys: rest.encryptionKeys,
  })
  const started = createCleanup()
  started.add('responder', responder.close)
  try {
    const store = await openStore(database)
    started.add('store', store.close)
    await store.startReaders?.()
    const offered = { content: content !== undefined, showcase: true, keepToken: devToken }
    const access = dev ? await prepareDevelopment(store, offered) : undefined
    // A development token must not work on a server that runs without `dev`.
    if (!dev) await revokeDevelopmentTokens(store)
    const bots = await store.listBots()
    const cipher = createSecretCipher(rest.encryptionKeys)
    // Say at the start that a key is missing, not at the first event or question. Other bots need not wait for it.
    for (const bot of bots)
      try {
        decryptSecrets(cipher, bot.id, bot)
      } catch (error) {
        logger.error({ botId: bot.id }, messageOf(error))
      }
    if (log) {
      const platformKey = { key: openaiKey, baseUrl: openaiBaseUrl }
      const sendsEmails = rest.email !== undefined
      warnOfGaps(logger, bots, { database: nameOfDatabase(database), platformKey, cipher, sendsEmails })
    }
    const bus = natsUrl === undefined ? undefined : await openBus(natsUrl, logger)
    // The platform closes the bus, too. This is for a platform that could not be created.
    if (bus) started.add('bus', bus.close)
    const platform = createPlatform({
      ...rest,
      store,
      responder,
      ...(bus && { bus }),
      ...(access && { devBotId: access.botId }),
    })
    started.add('platform', platform.close)
    const server = await startServer(platform, {
      host,
      port,
      drainMs: isPostgres(database) ? drainMs : 0,
      replaceGlobals,
    })
    started.add('server', server.close)
    logger.info({ host, port: server.port, version }, 'listening')
    const baseUrl = `http://${reachableHost(host)}:${server.port}`
    const invitation = access && (await inviteFirstAdmin(store, access.organizationId))
    if (!dev && !(await store.findAnyMember(timestamp(systemClock.now())))) logger.info(nobodyAtTheDesk)
    let closing: Promise<void> | undefined
    return {
      baseUrl,
      ...access,
      ...(invitation !== undefined && { invitationUrl: invitationUrl(rest.baseUrl ?? baseUrl, invitation) }),
      close: () => {
        if (!closing) logger.info('stopping')
        closing ??= started.close().then(open => {
          if (open.length > 0) logger.warn({ open }, 'this node ends although some of it could not be closed in time')
        })
        return closing
      },
    }
  } catch (error) {
    // The error that is thrown says why the platform could not start. Another one while closing would hide it.
    await started.close().catch(() => {})
    throw error
  }
}

const nobodyAtTheDesk =
  'nobody can answer at the desk yet: "natter desk invite EMAIL --admin" prints a link with which the first person joins'

/** The token of an invitation for an admin, if the organization has no members yet. */
async function inviteFirstAdmin(store: Store, organizationId: string): Promise<string | undefined> {
  if ((await store.listMembers(organizationId)).length > 0) return undefined
  const admin = { organizationId, email: 'admin@example.com', role: 'admin', botIds: null } as const
  return issueInvitation(store, admin, systemClock)
}

const refused =
  'the bus refuses this node: check the user and password, or the token, in the address of the bus; they need permission for natter.>'
const withoutIt = 'this node polls the database instead, every 800 ms'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Connects to the bus in the background, since the platform also works without it. The platform closes the bus. */
function openBus(url: string, log: ReturnType<typeof createLogger>): Promise<Bus> {
  const { name } = readNatsAddress(url)
  return createNatsBus({
    url,
    onConnected: () => log.info({ bus: name }, 'connected to the bus'),
    onLost: error => log.warn({ bus: name, reason: messageOf(error) }, `no bus: ${withoutIt}`),
    onRefused: error => log.error({ bus: name, reason: messageOf(error) }, `${refused}; ${withoutIt}`),
  })
}

function warnOfGaps(
  log: ReturnType<typeof createLogger>,
  bots: Bot[],
  {
    database,
    platformKey,
    cipher,
    sendsEmails,
  }: {
    database: string
    platformKey: PlatformKey
    cipher: SecretCipher
    sendsEmails: boolean
  },
): void {
  if (bots.length === 0)
    log.warn(
      { database },
      'the database has no bot: create one (see natter bot --help), or choose another database with --database',
    )
  const unencrypted = bots.flatMap(bot => listSecrets(bot.id, bot)).filter(secret => !isEncrypted(secret)).length
  if (cipher.keyId !== undefined && unencrypted > 0)
    log.warn({ secrets: unencrypted }, 'secrets in the database are not encrypted yet: run "natter secret encrypt"')
  if (sendsEmails && bots.every(({ siteUrl }) => !siteUrl))
    log.warn('no bot sends emails yet: say where its chat is with "natter bot update BOT --site-url URL"')
  for (const { id, responder } of bots) {
    if (responder.kind !== 'openai') continue
    const warning = missingKey(responder, platformKey)
    if (warning !== undefined) log.warn({ botId: id }, warning)
  }
}

/** The host name under which this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
