import { signWebhook, type WebhookEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { createId } from '../domain/ids.ts'
import { singleFlight } from '../domain/singleFlight.ts'
import { timestamp } from '../domain/time.ts'
import { decryptSecrets } from '../secrets/botSecrets.ts'
import { type SecretCipher, UnreadableSecretError } from '../secrets/secretCipher.ts'
import type { Bot, DeliveryStore, LeasedDelivery, OrganizationStore } from '../store/store.ts'
import { addressRefusal, exponentialBackoff, networkFailure, retryAfterMs, secretsAt } from '../webhooks/webhookHttp.ts'

/**
 * Delivers each event to the bot's events webhook at least once. An event is stored in the transaction that causes it, and
 * delivered under a lease.
 */
export type Deliveries = ReturnType<typeof createDeliveries>

/** The outcome of an attempt, for the operator. Each outcome but `delivered` has a `reason`. */
export interface DeliveryOutcome {
  outcome: 'delivered' | 'postponed' | 'given_up'
  botId: string
  eventId: string
  type: WebhookEvent['type']
  attempt: number
  reason?: string
}

export interface DeliveriesOptions {
  store: DeliveryStore & OrganizationStore
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Decrypts the secrets that sign events. */
  cipher: SecretCipher
  onOutcome: (outcome: DeliveryOutcome) => void
  onError: (error: unknown) => void
}

// The most deliveries of one bot in progress, so that a webhook that hangs does not block other bots.
const maxPerBot = 8
const maxConcurrentDeliveries = 2000
/** The time limit of a webhook. */
const responseTimeoutMs = 10_000
const leaseMs = 30_000
const firstPauseMs = 1000
const maxPauseMs = 60 * 60 * 1000
/**
 * An event older than this is dropped when its delivery fails, but not before it was tried so many times: no node may have
 * run for a day, and the receiver may just be starting, too.
 */
const maxAgeMs = 24 * 60 * 60 * 1000
const minAttempts = 10
const closeWithinMs = 1000

export function createDeliveries({ store, clock, fetch, cipher, onOutcome, onError }: DeliveriesOptions) {
  const owner = createId(clock.now())
  /** The deliveries in progress, by bot. The bot's next events are leased when they are done. */
  const running = new Map<string, Promise<void>>()
  const requests = new Set<AbortController>()
  let closed = false
  let isAborted = false

  /** Resolves to why the delivery failed, or to `null` if it succeeded. */
  const post = async (webhook: NonNullable<Bot['events']>, event: WebhookEvent): Promise<DeliveryFailure | null> => {
    const abort = new AbortController()
    requests.add(abort)
    // The bot was looked up for longer than `close` waits.
    if (isAborted) abort.abort()
    const cancelTimer = clock.setTimeout(() => abort.abort(), responseTimeoutMs)
    try {
      const body = JSON.stringify(event)
      const now = clock.now()
      const { url, ...secrets } = decryptSecrets(cipher, event.botId, { events: webhook }).events
      const signature = await signWebhook(secretsAt(secrets, now), event.id, Math.floor(now / 1000), body)
      const headers = { 'content-type': 'application/json', 'user-agent': 'natter', ...signature }
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: abort.signal })
      response.body?.cancel().catch(() => {})
      if (response.ok) return null
      const isGone = response.status === 410
      return { reason: `status ${response.status}`, isGone, pauseMs: retryAfterMs(response.headers, clock.now()) }
    } catch (error) {
      return { reason: abort.signal.aborted ? 'timeout' : reasonOf(error), isGone: false, pauseMs: 0 }
    } finally {
      cancelTimer()
      requests.delete(abort)
    }
  }

  const deliver = async (webhook: Bot['events'], { event, attempt }: LeasedDelivery): Promise<void> => {
    // The bot's webhook may have been removed since the event happened.
    if (!webhook) return store.endDelivery(event.id, owner)
    const failure = await post(webhook, event)
    const now = clock.now()
    if (failure && isAborted) return store.postponeDelivery(event.id, owner, timestamp(now))
    const deliveryInfo = { botId: event.botId, eventId: event.id, type: event.type, attempt }
    if (!failure) {
      await store.endDelivery(event.id, owner)
      onOutcome({ outcome: 'delivered', ...deliveryInfo })
    } else if (failure.isGone || (attempt >= minAttempts && now - Date.parse(event.createdAt) >= maxAgeMs)) {
      await store.endDelivery(event.id, owner)
      onOutcome({ outcome: 'given_up', ...deliveryInfo, reason: failure.reason })
    } else {
      const requestedMs = Math.min(failure.pauseMs, maxPauseMs)
      const dueAt = now + Math.max(requestedMs, exponentialBackoff(attempt, firstPauseMs, maxPauseMs))
      await store.postponeDelivery(event.id, owner, timestamp(dueAt))
      onOutcome({ outcome: 'postponed', ...deliveryInfo, reason: failure.reason })
    }
  }

  const run = async (botId: string, deliveries: LeasedDelivery[]): Promise<void> => {
    const webhook = (await store.findBot(botId))?.events ?? null
    await Promise.all(deliveries.map(delivery => deliver(webhook, delivery).catch(onError)))
  }

  const start = (botId: string, deliveries: LeasedDelivery[]): void => {
    const done = run(botId, deliveries)
      .catch(onError)
      .finally(() => {
        running.delete(botId)
        if (!closed) processDue().catch(onError)
      })
    running.set(botId, done)
  }

  const processDue = singleFlight(async () => {
    const all = maxConcurrentDeliveries - running.size * maxPerBot
    if (closed || all <= 0) return
    const now = clock.now()
    const limits = { all, perBot: maxPerBot, except: [...running.keys()] }
    const leased = await store.leaseDeliveries(owner, timestamp(now), timestamp(now + leaseMs), limits)
    for (const [botId, deliveries] of Map.groupBy(leased, ({ event }) => event.botId)) start(botId, deliveries)
  })

  return {
    /** Leases due events and starts delivering them. */
    processDue,
    /** Waits up to a second for deliveries in progress, then aborts the others and gives up their leases. */
    async close(): Promise<void> {
      closed = true
      await processDue().catch(onError)
      const cancelTimer = clock.setTimeout(() => {
        isAborted = true
        for (const abort of requests) abort.abort()
      }, closeWithinMs)
      await Promise.all(running.values())
      cancelTimer()
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnreadableSecretError) return error.message
  return addressRefusal(error)?.message ?? networkFailure(error) ?? 'the address or the secret is invalid'
}

interface DeliveryFailure {
  reason: string
  isGone: boolean
  /** The time that the webhook asks to wait (`Retry-After`). */
  pauseMs: number
}
