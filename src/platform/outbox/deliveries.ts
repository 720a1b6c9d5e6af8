import { signWebhook, type WebhookEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { createId } from '../domain/ids.ts'
import { isEmail } from '../domain/isEmail.ts'
import { singleFlight } from '../domain/singleFlight.ts'
import { timestamp } from '../domain/time.ts'
import type { SendEmail } from '../email/emails.ts'
import { decryptSecrets } from '../secrets/botSecrets.ts'
import { type SecretCipher, UnreadableSecretError } from '../secrets/secretCipher.ts'
import type { Bot, DeliveryStore, LeasedDelivery, OrganizationStore } from '../store/store.ts'
import { addressRefusal, exponentialBackoff, networkFailure, retryAfterMs, secretsAt } from '../webhooks/webhookHttp.ts'

/**
 * Delivers each event to the bot's events webhook at least once, and each email to the SMTP server at most once. It is stored
 * in the transaction that causes it, and delivered under a lease.
 */
export type Deliveries = ReturnType<typeof createDeliveries>

/** The outcome of an attempt, for the operator. Each outcome but `delivered` has a `reason`. */
export interface DeliveryOutcome {
  outcome: 'delivered' | 'postponed' | 'given_up'
  botId: string
  eventId: string
  type: LeasedDelivery['event']['type']
  attempt: number
  reason?: string
}

export interface DeliveriesOptions {
  store: DeliveryStore & OrganizationStore
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Decrypts the secrets that sign events. */
  cipher: SecretCipher
  /** Sends emails; default: they wait for a node that can. */
  sendEmail?: SendEmail | undefined
  onOutcome: (outcome: DeliveryOutcome) => void
  onError: (error: unknown) => void
}

// The most deliveries of one queue in progress, so that a webhook that hangs does not block other bots.
const maxPerQueue = 8
const maxConcurrentDeliveries = 2000
/** The time limit of a webhook. */
const responseTimeoutMs = 10_000
/** The time limit of an attempt to send an email. */
const emailTimeoutMs = 20_000
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
/** Longer, since an email that is aborted at its end may be lost. */
const closeEmailsWithinMs = 5000

export function createDeliveries({ store, clock, fetch, cipher, sendEmail, onOutcome, onError }: DeliveriesOptions) {
  const owner = createId(clock.now())
  /** The deliveries in progress, by queue. The next ones of the queue are leased when they are done. */
  const running = new Map<string, Promise<void>>()
  const requests = createAttempts(clock, responseTimeoutMs)
  const emails = createAttempts(clock, emailTimeoutMs)
  let closed = false

  /** Resolves to why the delivery failed, or to `null` if it succeeded. */
  const post = async (
    webhook: NonNullable<Bot['events']>,
    event: WebhookEvent,
    signal: AbortSignal,
  ): Promise<DeliveryFailure | null> => {
    try {
      const body = JSON.stringify(event)
      const now = clock.now()
      const { url, ...secrets } = decryptSecrets(cipher, event.botId, { events: webhook }).events
      const signature = await signWebhook(secretsAt(secrets, now), event.id, Math.floor(now / 1000), body)
      const headers = { 'content-type': 'application/json', 'user-agent': 'natter', ...signature }
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      response.body?.cancel().catch(() => {})
      if (response.ok) return null
      const isFinal = response.status === 410
      return { reason: `status ${response.status}`, isFinal, pauseMs: retryAfterMs(response.headers, clock.now()) }
    } catch (error) {
      return { reason: signal.aborted ? 'timeout' : reasonOf(error), isFinal: false }
    }
  }

  /** Resolves to `obsolete` if there is nothing to deliver any more, as when the bot's webhook was removed. */
  const attemptOnce = (webhook: Bot['events'], event: LeasedDelivery['event']) => {
    if (isEmail(event)) return emails.run(async signal => sendEmail?.(event, signal) ?? null)
    return webhook ? requests.run(signal => post(webhook, event, signal)) : 'obsolete'
  }

  const deliver = async (webhook: Bot['events'], { event, attempt }: LeasedDelivery): Promise<void> => {
    if (isEmail(event) && !(await store.beginDelivery(event.id, owner, timestamp(clock.now())))) return
    const result: DeliveryFailure | 'obsolete' | null = await attemptOnce(webhook, event)
    if (result === 'obsolete') return store.endDelivery(event.id, owner)
    const now = clock.now()
    const { isAborted } = isEmail(event) ? emails : requests
    if (result && isAborted && !result.isFinal) return store.postponeDelivery(event.id, owner, timestamp(now))
    const deliveryInfo = { botId: event.botId, eventId: event.id, type: event.type, attempt }
    if (!result) {
      await store.endDelivery(event.id, owner)
      onOutcome({ outcome: 'delivered', ...deliveryInfo })
    } else if (result.isFinal || (attempt >= minAttempts && now - Date.parse(event.createdAt) >= maxAgeMs)) {
      await store.endDelivery(event.id, owner)
      onOutcome({ outcome: 'given_up', ...deliveryInfo, reason: result.reason })
    } else {
      const requestedMs = Math.min(result.pauseMs ?? 0, maxPauseMs)
      const dueAt = now + Math.max(requestedMs, exponentialBackoff(attempt, firstPauseMs, maxPauseMs))
      await store.postponeDelivery(event.id, owner, timestamp(dueAt))
      onOutcome({ outcome: 'postponed', ...deliveryInfo, reason: result.reason })
    }
  }

  const run = async (queue: string, deliveries: LeasedDelivery[]): Promise<void> => {
    const webhook = deliveries.some(({ event }) => isEmail(event))
      ? null
      : ((await store.findBot(queue))?.events ?? null)
    await Promise.all(deliveries.map(delivery => deliver(webhook, delivery).catch(onError)))
  }

  const start = (queue: string, deliveries: LeasedDelivery[]): void => {
    const done = run(queue, deliveries)
      .catch(onError)
      .finally(() => {
        running.delete(queue)
        if (!closed) processDue().catch(onError)
      })
    running.set(queue, done)
  }

  const processDue = singleFlight(async () => {
    const all = maxConcurrentDeliveries - running.size * maxPerQueue
    if (closed || all <= 0) return
    const now = clock.now()
    const limits = { all, perQueue: maxPerQueue, except: [...running.keys()], emails: sendEmail !== undefined }
    const leased = await store.leaseDeliveries(owner, timestamp(now), timestamp(now + leaseMs), limits)
    for (const [queue, deliveries] of Map.groupBy(leased, ({ queue }) => queue)) start(queue, deliveries)
  })

  return {
    /** Leases what is due and starts delivering it. */
    processDue,
    /** Waits for deliveries in progress, up to a second for webhooks and five for emails, then aborts the others and gives up their leases. */
    async close(): Promise<void> {
      closed = true
      await processDue().catch(onError)
      const cancelTimers = [
        clock.setTimeout(requests.abortAll, closeWithinMs),
        clock.setTimeout(emails.abortAll, closeEmailsWithinMs),
      ]
      await Promise.all(running.values())
      for (const cancelTimer of cancelTimers) cancelTimer()
    },
  }
}

/** Attempts with a time limit, which can be aborted together. */
function createAttempts(clock: Clock, timeoutMs: number) {
  const running = new Set<AbortController>()
  let isAborted = false
  return {
    get isAborted() {
      return isAborted
    },
    async run<Result>(attempt: (abortSignal: AbortSignal) => Promise<Result>): Promise<Result> {
      const abort = new AbortController()
      running.add(abort)
      // It begins after `abortAll`.
      if (isAborted) abort.abort()
      const cancelTimer = clock.setTimeout(() => abort.abort(), timeoutMs)
      try {
        return await attempt(abort.signal)
      } finally {
        cancelTimer()
        running.delete(abort)
      }
    },
    /** Aborts those that are running, and those that begin later. */
    abortAll(): void {
      isAborted = true
      for (const abort of running) abort.abort()
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnreadableSecretError) return error.message
  return addressRefusal(error)?.message ?? networkFailure(error) ?? 'the address or the secret is invalid'
}

interface DeliveryFailure {
  reason: string
  /** There must be no other attempt: it would fail, too, or an email could arrive twice. */
  isFinal: boolean
  /** The time that the webhook asks to wait (`Retry-After`). */
  pauseMs?: number
}
