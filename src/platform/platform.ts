import { createApp } from './app.ts'
import { createBackgroundErrors } from './backgroundErrors.ts'
import type { Bus } from './bus/bus.ts'
import { createMemoryBus } from './bus/memory.ts'
import { type Clock, systemClock } from './clock.ts'
import { createAttachments } from './domain/attachments.ts'
import { createContacts } from './domain/contacts.ts'
import { createContactTokens } from './domain/contactTokens.ts'
import { createDesk } from './domain/desk.ts'
import { createDeskBots } from './domain/deskBots.ts'
import { createDeskPersons } from './domain/deskPersons.ts'
import { createDeskPresence } from './domain/deskPresence.ts'
import { createEmailConfirmations } from './domain/emailConfirmations.ts'
import { createMaintenance, defaultHandoverTimeoutMs, presenceRoundMs } from './domain/maintenance.ts'
import { createMembers } from './domain/members.ts'
import { createOidcSignIn } from './domain/oidc.ts'
import { createSavedReplies } from './domain/savedReplies.ts'
import { createSessions } from './domain/sessions.ts'
import { createTeam } from './domain/team.ts'
import { createTeamConversations } from './domain/teamConversations.ts'
import { every } from './domain/time.ts'
import { defaultTurnLimits, type TurnLimits } from './domain/turnLimits.ts'
import { createTurns } from './domain/turns.ts'
import { createUnreadNotices, presenceMs } from './domain/unread.ts'
import { createVisitorConversations } from './domain/visitorConversations.ts'
import { createEmailSender } from './email/emails.ts'
import type { MailerOptions } from './email/mailer.ts'
import { createDeskAccess } from './http/deskAccess.ts'
import { createLogger } from './http/log.ts'
import { createMetrics, type MetricsAccess } from './http/metrics.ts'
import { createRefuse } from './http/observe.ts'
import type { Platform } from './http/server.ts'
import { defaultSessionLimits, type SessionLimits } from './http/sessionLimits.ts'
import { createOidcProvider, type OidcClient } from './oidc/provider.ts'
import { createDeliveries } from './outbox/deliveries.ts'
import { type ReadBuiltFile, readBuiltFile, version } from './packageFiles.ts'
import { createDeskStreams } from './realtime/deskStreams.ts'
import { createStreams, defaultStreamLimits, type StreamLimits } from './realtime/streams.ts'
import { reportOutcomes } from './reportOutcomes.ts'
import type { Responder } from './responders/responder.ts'
import { attachmentHandlers } from './routes/attachments.ts'
import { contactHandlers } from './routes/contacts.ts'
import { contactTokenHandlers } from './routes/contactTokens.ts'
import { conversationHandlers } from './routes/conversations.ts'
import { deskHandlers } from './routes/desk.ts'
import { deskBotHandlers } from './routes/deskBots.ts'
import { deskEventHandlers } from './routes/deskEvents.ts'
import { deskMemberHandlers } from './routes/deskMembers.ts'
import { deskTeamHandlers } from './routes/deskTeam.ts'
import { emailPages } from './routes/emailPages.ts'
import { eventHandlers } from './routes/events.ts'
import { savedReplyHandlers } from './routes/savedReplies.ts'
import { widgetHandlers } from './routes/widget.ts'
import { createSecretCipher } from './secrets/secretCipher.ts'
import { currentContext, withDeadline } from './store/callContext.ts'
import type { Store } from './store/store.ts'
import { createEgressClient } from './webhooks/egressFetch.ts'
import type { EgressPolicy } from './webhooks/egressPolicy.ts'

export interface PlatformOptions {
  /** The database. The caller opens and closes it. */
  store: Store
  /** Answers visitors. Without a responder, their messages are stored and not answered. */
  responder?: Responder
  /** Carries events to open streams; default: an in-process bus. The platform closes it. */
  bus?: Bus
  /** The source of time; default: the system's. */
  clock?: Clock
  /** Days without a new message after which a conversation's messages are deleted; default: never. */
  retentionDays?: number | undefined
  /** Receives each line of the log, a JSON object without tokens; default: no log. */
  log?: (line: string) => void
  /** The lowest level that is logged; default `info`, which includes every request. */
  logLevel?: 'info' | 'warn' | 'error' | undefined
  /**
   * Requests per minute and organization token; default 3600. 0 turns off all rate limits, including those of visitors.
   */
  rateLimit?: number | undefined
  /** Limits of visitors. Each has a default. */
  limits?: Partial<VisitorLimits> | undefined
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose forwarded client addresses are trusted; default: none. */
  trustedProxies?: string[] | undefined
  /**
   * Who can read `/metrics`: this machine and trusted proxies for themselves (`local`, the default), `all`, or
   * nobody (`off`).
   */
  metrics?: MetricsAccess | undefined
  /**
   * The platform's public address, where people open the desk: with https, or of this machine. Default: this machine, at the
   * port of the server.
   */
  baseUrl?: string | undefined
  /** Emails about unread messages, which need `baseUrl`; default: none. */
  email?: MailerOptions | undefined
  /** Sign-in at the desk by OpenID Connect, which needs `baseUrl`. Default: members have passwords. */
  oidc?: OidcOptions | undefined
  /** The id of a bot that pages on localhost can embed, on any port. */
  devBotId?: string
  /**
   * Where webhooks may be: `any` (default) includes this machine and private networks, `public` only the public
   * internet. Link-local addresses and cloud metadata services are never called.
   */
  egress?: EgressPolicy | undefined
  /**
   * The keys that decrypt the stored secrets of webhooks, in the form of `NATTER_ENCRYPTION_KEYS`; without them, secrets
   * must be stored unencrypted.
   */
  encryptionKeys?: string | undefined
  /** Time for which an agent's message pauses the responder, in milliseconds; default: 30 minutes. */
  agentPauseMs?: number
  /** Time after which a handover ends if no agent has written, in milliseconds; default: 30 minutes. */
  handoverTimeoutMs?: number
  /** Time after which `message.unread` tells of unread messages of a contact who is away, in milliseconds; default: 10 minutes. */
  unreadAfterMs?: number
  /** Reads the built files of the widget; default: from the package's `dist`. */
  readBuiltFile?: ReadBuiltFile
}

/** The client that is registered at an OpenID Connect provider. */
export interface OidcOptions extends OidcClient {
  /** Members may also have passwords; default `false`. */
  passwords?: boolean | undefined
}

/** Limits of visitors. A bot can have limits of its own, except for addresses and streams. */
export interface VisitorLimits extends TurnLimits, SessionLimits, StreamLimits {}

export type { Platform }

/** How often each node asks the store for events that the bus has lost, and for work that is due. */
export const sweepMs = 800
const minuteMs = 60_000
const purgeMs = 60 * minuteMs

/**
 * The first purge runs soon, for servers that never run for an hour, but not during the start and not on all nodes at
 * the same time.
 */
const firstPurgeAfter = (): number => minuteMs * (0.5 + Math.random() / 2)

/** The part of the drain time in which load balancers notice that this node is not ready. */
const noticePart = 0.4

/** Requests per minute of an organization token. */
const defaultRateLimit = 3600

/** Creates a platform on a store. Call its `fetch`, or start a server for it. */
export function createPlatform(options: PlatformOptions): Platform {
  const { responder, bus = createMemoryBus(), clock = systemClock, log } = options
  const { agentPauseMs = 30 * minuteMs, unreadAfterMs = 10 * minuteMs } = options
  const { handoverTimeoutMs = defaultHandoverTimeoutMs } = options
  const logger = createLogger(log, options.logLevel)
  const backgroundErrors = createBackgroundErrors(logger)
  const { onError, watch } = backgroundErrors
  let closing = false
  let closed = false

  const metrics = createMetrics({
    version,
    openStreams: () => streams.count() + deskStreams.count(),
    queueDepth: () => options.store.queueDepth(),
    busState: bus.state,
  })
  // Deadlines of the store use real time, even where tests control the clock.
  const deadlineOptions = { clock: systemClock, onSettled: metrics.storeCall }
  // The store for the platform's own work, which must go on however many requests there are.
  const backgroundStore = withDeadline(options.store, deadlineOptions)
  // The store for requests: calls end at the deadline of their request, and organizations get equal shares of it.
  const requestStore = withDeadline(options.store, { ...deadlineOptions, contextOfRequest: currentContext })
  const sessions = createSessions({ requestStore, backgroundStore, bus, clock, onError })
  const limits = { ...defaultTurnLimits, ...defaultSessionLimits, ...defaultStreamLimits, ...options.limits }
  const streams = createStreams({ backgroundStore, requestStore, bus, clock, limits, onError })
  const deskStreams = createDeskStreams({ backgroundStore, requestStore, bus, clock, onError })
  const { onTurn, onDroppedSources, onDelivery, onSkew } = reportOutcomes(logger, metrics)
  const turns =
    responder &&
    createTurns({
      store: backgroundStore,
      bus,
      clock,
      responder,
      handoverTimeoutMs,
      limits: options.rateLimit === 0 ? null : limits,
      onOutcome: onTurn,
      onDroppedSources,
      onError,
    })
  const egress = createEgressClient({ policy: options.egress ?? 'any' })
  const cipher = createSecretCipher(options.encryptionKeys)
  const deliveries = createDeliveries({
    store: backgroundStore,
    clock,
    fetch: egress.fetch,
    cipher,
    sendEmail:
      options.email && createEmailSender({ ...options.email, baseUrl: options.baseUrl, store: backgroundStore, clock }),
    onOutcome: onDelivery,
    onError,
  })
  const unreadNotices = createUnreadNotices({
    store: backgroundStore,
    clock,
    unreadAfterMs,
    sendsEmails: options.email !== undefined,
    listStreaming: streams.conversationIds,
    onError,
  })
  const work = [turns, deliveries].filter(part => part !== undefined)
  const processDue = (): void => {
    for (const part of work) part.processDue().catch(onError)
  }

  const teamConversations = createTeamConversations({ store: requestStore, bus, clock, pauseMs: agentPauseMs })
  const desk = createDesk({ store: requestStore, teamConversations, bus, clock })
  const contacts = createContacts({ store: requestStore, bus, clock })
  const contactTokens = createContactTokens({ store: requestStore, bus, clock })
  const deskPersons = createDeskPersons({ store: requestStore, contacts, contactTokens, desk, bus, clock })
  const members = createMembers({ store: requestStore, bus, clock })
  const access = createDeskAccess(options.baseUrl)
  const oidc =
    options.oidc &&
    createOidcSignIn({
      provider: createOidcProvider({
        ...options.oidc,
        baseUrl: options.baseUrl,
        clock,
        onFailure: failure => logger.warn(failure, 'a sign-in at the desk has failed'),
      }),
      members,
      store: requestStore,
      clock,
    })

  const app = createApp({
    emailPages: emailPages({
      store: requestStore,
      confirmations: createEmailConfirmations({ store: requestStore, bus, clock }),
      clock,
    }),
    requestStore,
    backgroundStore,
    clock,
    sessions,
    members,
    access,
    logger,
    metrics,
    metricsAccess: options.metrics ?? 'local',
    handlers: {
      ...contactHandlers(contacts),
      ...contactTokenHandlers(contactTokens),
      ...conversationHandlers(teamConversations),
      ...widgetHandlers(
        sessions,
        createVisitorConversations({
          store: requestStore,
          bus,
          clock,
          handoverTimeoutMs,
          onMessageStored: processDue,
          onEmailLeft: processDue,
          onListed: unreadNotices.notePoll,
        }),
        { agentPauseMs, sendsEmail: options.email !== undefined, clock },
      ),
      ...attachmentHandlers(createAttachments({ store: requestStore, clock }), desk, clock),
      ...eventHandlers(streams),
      ...deskBotHandlers(createDeskBots(requestStore)),
      ...deskEventHandlers(deskStreams, createDeskPresence({ store: requestStore, bus })),
      ...deskMemberHandlers({ members, access, oidc, passwords: options.oidc?.passwords ?? !oidc }),
      ...deskHandlers(desk, deskPersons),
      ...deskTeamHandlers(createTeam({ store: requestStore, clock, handoverTimeoutMs })),
      ...savedReplyHandlers(createSavedReplies({ store: requestStore, clock })),
    },
    readBuiltFile: options.readBuiltFile ?? readBuiltFile,
    version,
    devBotId: options.devBotId,
    rateLimit: options.rateLimit ?? defaultRateLimit,
    sessionLimits: limits,
    trustedProxies: options.trustedProxies ?? [],
    isClosing: () => closing,
    isClosed: () => closed,
  })

  // Start work only here: an invalid option throws above, and the caller then has nothing to close.
  const { retentionDays } = options
  const maintenance = createMaintenance({
    store: backgroundStore,
    bus,
    clock,
    handoverTimeoutMs,
    retentionDays,
    onSkew,
  })
  const repeat = (ms: number, run: () => Promise<void>, firstAfterMs?: number): (() => void) =>
    every(clock, ms, () => run().catch(onError), firstAfterMs)
  const sweeps = [
    ...[streams.sweep, deskStreams.sweep, maintenance.expirePauses, maintenance.releaseConversations],
    ...work.map(part => part.processDue),
  ]
  const stops = [
    // Each has its own timer: slow turns or deliveries must not delay the notice that a session has ended.
    ...sweeps.map(run => repeat(sweepMs, watch(run))),
    repeat(presenceMs, unreadNotices.runRound),
    repeat(presenceRoundMs, deskStreams.recordPresence),
    repeat(minuteMs, maintenance.checkClock, 0),
    repeat(purgeMs, maintenance.purge, firstPurgeAfter()),
  ]
  // Continue turns and deliveries that a crash has interrupted, without waiting for the first sweep.
  processDue()

  return {
    fetch: async (request, connection = {}) => app.fetch(request, connection),
    refuse: createRefuse({ logger, metrics }),
    logServerError: error => logger.error({ err: error }, 'the server could not accept a connection'),
    async closeStreams(overMs = 0) {
      closing = true
      turns?.stopLeasing()
      if (overMs > 0)
        logger.info(
          { streams: streams.count() + deskStreams.count(), ms: overMs },
          'draining: streams move to other nodes',
        )
      const noticeMs = overMs * noticePart
      if (noticeMs > 0) await new Promise<void>(resolve => void clock.setTimeout(resolve, noticeMs))
      await Promise.all([streams, deskStreams].map(each => each.close(overMs - noticeMs)))
    },
    async close() {
      closing = true
      closed = true
      for (const stop of stops) stop()
      await Promise.all([streams.close(), deskStreams.close()])
      await Promise.all(work.map(part => part.close()))
      await egress.close()
      await bus.close()
      backgroundErrors.close()
    },
  }
}
