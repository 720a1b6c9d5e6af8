import { createApp } from './app.ts'
import type { Bus } from './bus/bus.ts'
import { createMemoryBus } from './bus/memory.ts'
import { type Clock, systemClock } from './clock.ts'
import { createAgents } from './domain/agents.ts'
import { watchClockSkew } from './domain/clockSkew.ts'
import { createContacts } from './domain/contacts.ts'
import { createContactTokens } from './domain/contactTokens.ts'
import { createConversations } from './domain/conversations.ts'
import { startPurge } from './domain/purge.ts'
import { createSessions } from './domain/sessions.ts'
import { every } from './domain/time.ts'
import { createTurns } from './domain/turns.ts'
import { createLogger } from './middleware/log.ts'
import type { LogLevel, LogSink } from './middleware/logSink.ts'
import { createMetrics } from './middleware/metrics.ts'
import type { Connection, HttpResponse } from './middleware/requestContext.ts'
import { toResponse } from './middleware/response.ts'
import { createDeliveries } from './outbox/deliveries.ts'
import { readBuiltFile, version } from './packageFiles.ts'
import { createStreams } from './realtime/streams.ts'
import { reportOutcomes } from './reportOutcomes.ts'
import type { Responder } from './responders/responder.ts'
import { contactRoutes } from './routes/contacts.ts'
import { contactTokenRoutes } from './routes/contactTokens.ts'
import { conversationRoutes } from './routes/conversations.ts'
import { eventRoutes } from './routes/events.ts'
import { type MetricsAccess, operationRoutes } from './routes/operations.ts'
import { type ReadBuiltFile, scriptRoutes } from './routes/script.ts'
import { widgetRoutes } from './routes/widget.ts'
import { type Store, StoreUnavailableError } from './store/store.ts'
import { withDeadline } from './store/withDeadline.ts'

export interface PlatformOptions {
  /** What is kept; whoever opened it closes it. */
  store: Store
  /** Answers visitors; without one their messages wait in the store. */
  responder?: Responder
  /** Carries events to open streams; default: within this process. */
  bus?: Bus
  /** Default: the system's. */
  clock?: Clock
  /** After how many days without a message a conversation's messages go; default: they stay. */
  retentionDays?: number | undefined
  /** Takes the log, one line of JSON at a time, without tokens; default: nothing is logged. */
  log?: LogSink
  /** Default `info`: every request. */
  logLevel?: LogLevel | undefined
  /** Requests a minute of an organization token; default 3600. 0 turns off all limits of requests, those of visitors too. */
  rateLimit?: number | undefined
  /** Addresses and networks (`10.0.0.0/8`) of proxies that tell a client's address truly; default: none. */
  trustedProxies?: string[] | undefined
  /**
   * Who may read `/metrics`: requests of this machine and of a trusted proxy itself (`local`, the default), `all`, or
   * nobody (`off`).
   */
  metrics?: MetricsAccess | undefined
  /** The bot that pages of this machine may embed, on any port. */
  devBotId?: string
  /** How long the responder is silent after an agent's message; default: 30 minutes. */
  agentPauseMs?: number
  /** Default: the package's `dist`. */
  readBuiltFile?: ReadBuiltFile
}

export interface Platform {
  /** Answers a request; never rejects. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** The same for a server, without a `Response`, which would cost as much as all the rest. */
  handle(request: Request, connection: Connection): Promise<Required<HttpResponse>>
  /**
   * Is no longer ready, begins no more answers, and tells open streams to come back elsewhere: all at once, or, once a
   * load balancer has had time to notice, one after the other until `overMs` have passed. Requests go on being answered.
   */
  closeStreams(overMs?: number): Promise<void>
  /** Ends streams, turns and the sweep; from then on every request is answered with 503. */
  close(): Promise<void>
}

/** Ours: how often the store is asked what the bus may have failed to tell. */
export const sweepMs = 800

/** Ours: of the time that a node is given to leave, for whoever sends it requests to find out. */
const noticePart = 0.4

const defaultAgentPauseMs = 30 * 60 * 1000

/** Ours: requests a minute of an organization token. */
const defaultRateLimit = 3600

/** The platform, in memory: hand it a store and call `fetch`, or put a server around it. */
export function createPlatform(options: PlatformOptions): Platform {
  const { responder, bus = createMemoryBus(), clock = systemClock, log } = options
  const { agentPauseMs = defaultAgentPauseMs } = options
  const logger = createLogger(log, options.logLevel)
  let storeLost = false
  const onError = (error: unknown): void => {
    const isLost = error instanceof StoreUnavailableError
    if (!isLost) logger.error({ err: error }, 'background work failed')
    // Once, not with every sweep that finds it so.
    else if (!storeLost) logger.error({ reason: error.message }, 'the store does not answer: what needs it gets 503')
    storeLost ||= isLost
  }
  const onStoreFound = (): void => {
    if (storeLost) logger.info('the store answers again')
    storeLost = false
  }
  let closing = false
  let closed = false

  const metrics = createMetrics({
    ...{ version, openStreams: () => streams.count(), queueDepth: () => options.store.queueDepth() },
    busState: bus.state,
  })
  // How long a store takes is real, whatever the time is said to be.
  const store = withDeadline(options.store, { clock: systemClock, onSettled: metrics.storeCall })
  const sessions = createSessions({ store, bus, clock, onError })
  const streams = createStreams({ store, bus, clock, onError })
  const { onTurn, onDelivery, onSkew } = reportOutcomes(logger, metrics)
  const limited = options.rateLimit !== 0
  const turns = responder && createTurns({ store, bus, clock, responder, limited, onOutcome: onTurn, onError })
  const deliveries = createDeliveries({ store, clock, fetch, onOutcome: onDelivery, onError })
  const work = [turns, deliveries].filter(part => part !== undefined)
  const processDue = (): void => {
    for (const part of work) part.processDue().catch(onError)
  }

  // Each at its own pace: that a session has ended is told in time, however long the store takes over the work.
  const stops = [streams.sweep, ...work.map(part => () => part.processDue().then(onStoreFound))].map(run =>
    every(clock, sweepMs, () => run().catch(onError)),
  )
  stops.push(startPurge({ store, clock, retentionDays: options.retentionDays, onError }))
  stops.push(watchClockSkew({ store, clock, onSkew, onError }))
  // What a crash has left unanswered does not wait for the first sweep.
  processDue()

  const handle = createApp({
    store,
    clock,
    sessions,
    logger,
    metrics,
    handlers: {
      ...contactRoutes(createContacts({ store, bus, clock })),
      ...contactTokenRoutes(createContactTokens({ store, bus, clock })),
      ...conversationRoutes(createAgents({ store, bus, clock, pauseMs: agentPauseMs })),
      ...widgetRoutes(sessions, createConversations({ store, bus, clock, onTurnQueued: processDue })),
      ...eventRoutes(streams),
    },
    script: scriptRoutes(options.readBuiltFile ?? readBuiltFile),
    operations: operationRoutes({
      store,
      clock,
      metrics,
      metricsAccess: options.metrics ?? 'local',
      isClosing: () => closing,
      version,
    }),
    devBotId: options.devBotId,
    rateLimit: options.rateLimit ?? defaultRateLimit,
    trustedProxies: options.trustedProxies ?? [],
    isClosed: () => closed,
  })

  return {
    async fetch(request, connection = {}) {
      return toResponse(await handle(request, connection))
    },
    handle,
    async closeStreams(overMs = 0) {
      closing = true
      turns?.stopLeasing()
      if (overMs > 0) logger.info({ streams: streams.count(), ms: overMs }, 'leaving: streams move to other nodes')
      const noticeMs = overMs * noticePart
      if (noticeMs > 0) await new Promise<void>(resolve => void clock.setTimeout(resolve, noticeMs))
      await streams.close(overMs - noticeMs)
    },
    async close() {
      closing = true
      closed = true
      for (const stop of stops) stop()
      await streams.close()
      await Promise.all(work.map(part => part.close()))
      await bus.close()
    },
  }
}
