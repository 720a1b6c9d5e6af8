import { setTimeout as pause } from 'node:timers/promises'
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Bus } from './bus.ts'
import { createMemoryBus } from './memory.ts'
import { readNatsAddress } from './natsAddress.ts'
import { readBusEvent } from './readBusEvent.ts'

export interface NatsBusOptions {
  /** `nats://user:password@host:4222`. */
  url: string
  onConnected?: () => void
  /** The connection is lost; the bus reconnects by itself. Called once per outage. */
  onLost?: (error: unknown) => void
  /** The server rejects the credentials, or they lack permission for `natter.>`. Called once per outage. */
  onRefused?: (error: unknown) => void
}

/** Other applications may use the same servers. */
const prefix = 'natter.'
const dialMs = 5_000
const pingMs = 2_000
const leaveMs = 1_000

/**
 * Creates the bus between nodes. It delivers events to listeners of this node synchronously, and to those of other nodes by
 * NATS. While NATS is not reachable, events for other nodes are dropped, because a late event is useless.
 */
export async function createNatsBus({ url, ...callbacks }: NatsBusOptions): Promise<Bus> {
  const { connect } = await import('@nats-io/transport-node').catch(explainMissing)
  const { servers, access, needsTls } = readNatsAddress(url)
  const here = createMemoryBus()
  /** The subjects that this node listens to; without a subscription while there is no connection. */
  const subscriptions = new Map<string, Subscription | undefined>()
  const counted = { published: 0, received: 0 }
  const closing = new AbortController()
  let connection: NatsConnection | undefined

  const connected = (): NatsConnection | undefined => (connection?.isClosed() ? undefined : connection)

  const listen = (subject: string): Subscription | undefined =>
    connected()?.subscribe(prefix + subject, {
      callback(error, message) {
        const event = error ? undefined : readBusEvent(message.string())
        if (!event) return
        counted.received++
        here.publish(subject, event)
      },
    })

  /** Reconnects in a loop: the client's own reconnect would buffer what is published meanwhile, and send it late. */
  async function stayConnected(): Promise<void> {
    const reported = new Set<'onLost' | 'onRefused'>()
    const report = (reason: unknown): void => {
      const callback = isRefusal(reason) ? 'onRefused' : 'onLost'
      if (!reported.has(callback)) callbacks[callback]?.(reason)
      reported.add(callback)
    }
    while (!closing.signal.aborted) {
      let reason: unknown
      try {
        connection = await connect({
          servers,
          ...access,
          ...(needsTls && { tls: {} }),
          name: 'natter',
          noEcho: true,
          reconnect: false,
          timeout: dialMs,
          pingInterval: pingMs,
          // The third unanswered ping ends the connection.
          maxPingOut: 2,
        })
        if (closing.signal.aborted) return await connection.close()
        for (const subject of subscriptions.keys()) subscriptions.set(subject, listen(subject))
        reported.clear()
        callbacks.onConnected?.()
        void reportRefusals(connection, report)
        reason = (await connection.closed()) ?? new Error('The bus closed the connection.')
      } catch (error) {
        reason = error
      }
      connection = undefined
      if (closing.signal.aborted) return
      report(reason)
      // Jitter, so that nodes do not reconnect all at once.
      await pause(500 + Math.random() * 500, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  void stayConnected()

  return {
    publish(subject, event) {
      here.publish(subject, event)
      const others = connected()
      try {
        others?.publish(prefix + subject, JSON.stringify(event))
        if (others) counted.published++
      } catch {
        // The event is larger than the server accepts. Other nodes find what it says in the store; only an event that is
        // not stored, such as a piece of a reply, is lost to them.
      }
    },

    subscribe(subject, listener) {
      const stop = here.subscribe(subject, listener)
      if (!subscriptions.has(subject)) subscriptions.set(subject, listen(subject))
      return () => {
        stop()
        if (here.hasListener(subject)) return
        subscriptions.get(subject)?.unsubscribe()
        subscriptions.delete(subject)
      }
    },

    state: () => ({ isConnected: connected() !== undefined, ...counted }),

    async close() {
      closing.abort()
      subscriptions.clear()
      await here.close()
      const leaving = connected()
      connection = undefined
      // Flush what was published last, if the server still answers.
      await Promise.race([leaving?.drain().catch(() => {}), pause(leaveMs, undefined, { ref: false })])
      await leaving?.close()
    },
  }
}

/** Reports permission errors, the only errors that do not close the connection. */
async function reportRefusals(connection: NatsConnection, report: (reason: unknown) => void): Promise<void> {
  for await (const status of connection.status())
    if (status.type === 'error' && isRefusal(status.error)) report(status.error)
}

const refusals = new Set(['AuthorizationError', 'UserAuthenticationExpiredError', 'PermissionViolationError'])
const isRefusal = (error: unknown): boolean => error instanceof Error && refusals.has(error.name)

function explainMissing(cause: unknown): never {
  throw new Error(
    'A NATS bus needs the package @nats-io/transport-node: run "npm install @nats-io/transport-node" beside natter.',
    { cause },
  )
}
