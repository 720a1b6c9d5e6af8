import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { StreamEvent } from '../../../contract/index.ts'
import type { Deps, SessionScope } from '../session/sessionScope.ts'

/** `idle` before anything is needed; `offline` when the browser says so. */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline'

/** The place of a tab that shares one stream with others, for as long as it is connected. */
export interface TabParticipant {
  /** One bot and one stretch of one identity: whoever shares it is the same visitor. */
  readonly name: string
  readonly epoch: string
  readonly abortSignal: AbortSignal
  /** Holds the stream and sends what waits, until `over`; `tell` hears of each event, and of each sign of life. */
  lead(abortSignal: AbortSignal, tell?: (event?: StreamEvent) => void): Promise<void>
  /** Takes an event from the tab that leads. */
  hear(event: StreamEvent): void
  setConnection(connection: Connection): void
}

export interface EventConnectionDeps extends Deps {
  /** What a seat's name begins with. */
  channelName: string
  /** Goes with the other tabs; rejects where the part of the widget that does so can't be loaded. */
  join(participant: TabParticipant): Promise<void>
  lastSeq(): number
  /** The history is there, which the stream goes on from. */
  caughtUp(): Promise<void> | void
  onEvent(scope: SessionScope, event: StreamEvent): void
  /** This tab is the one that sends, until `over`. */
  onLead(abortSignal: AbortSignal): void
}

/** The stream of events: one for all tabs of the origin, where the browser lets them agree. */
export interface EventConnection {
  readonly connection: ReadonlySignal<Connection>
  connect(scope: SessionScope): void
  disconnect(): void
  setOnline(online: boolean): void
}

export function createEventConnection(deps: EventConnectionDeps): EventConnection {
  const { page, backoff, api } = deps
  const connection = signal<Connection>('idle')
  const online = signal(page.online())
  let own = new AbortController()

  function open(): AbortSignal {
    own.abort(0)
    own = new AbortController()
    return own.signal
  }

  function setConnection(next: Connection) {
    if (next === connection.peek()) return
    connection.value = next
    if (next === 'live') backoff.retryNow()
  }

  function disconnect() {
    open()
    connection.value = 'idle'
  }

  function connect(scope: SessionScope) {
    disconnect()
    if (!scope.token || scope.abortSignal.aborted || !online.peek()) return
    connection.value = 'connecting'
    const lead: TabParticipant['lead'] = async (abortSignal, tell) => {
      deps.onLead(abortSignal)
      await deps.caughtUp()
      await api.streamEvents(
        { token: scope.token, abortSignal },
        {
          after: deps.lastSeq,
          onEvent(event) {
            deps.onEvent(scope, event)
            tell?.(event)
          },
          onConnection(next) {
            setConnection(next)
            tell?.()
          },
        },
      )
    }
    const { epoch } = scope
    const name = deps.channelName + epoch
    let abortSignal = open()
    const alone = () => lead(abortSignal)
    page.withLeaderLock(name, alone).catch(() => {
      if (abortSignal.aborted) return
      abortSignal = open()
      return deps
        .join({ name, epoch, abortSignal, lead, setConnection, hear: event => deps.onEvent(scope, event) })
        .catch(alone)
    })
  }

  return {
    connection: computed(() => (online.value ? connection.value : 'offline')),
    connect,
    disconnect,
    setOnline(next) {
      online.value = next
      if (!next) disconnect()
    },
  }
}
