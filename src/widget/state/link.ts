import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { StreamEvent } from '../../contract/index.ts'
import type { Doors, Scope } from './scope.ts'

/** `idle` before anything is needed; `offline` when the browser says so. */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline'

/** The place of a tab that shares one stream with others, for as long as it is connected. */
export interface Seat {
  /** One bot and one stretch of one identity: whoever shares it is the same visitor. */
  readonly name: string
  readonly epoch: number
  readonly over: AbortSignal
  /** Holds the stream and sends what waits, until `over`; `tell` hears of each event, and of each sign of life. */
  lead(over: AbortSignal, tell?: (event?: StreamEvent) => void): Promise<void>
  /** Takes an event from the tab that leads. */
  hear(event: StreamEvent): void
  setConnection(connection: Connection): void
}

export interface LinkDoors extends Doors {
  /** What a seat's name begins with. */
  seatName: string
  /** Goes with the other tabs; rejects where the part of the widget that does so can't be loaded. */
  join(seat: Seat): Promise<void>
  lastSeq(): number
  /** The history is there, which the stream goes on from. */
  caughtUp(): Promise<void> | void
  onEvent(scope: Scope, event: StreamEvent): void
  /** This tab is the one that sends, until `over`. */
  onLead(over: AbortSignal): void
}

/** The stream of events: one for all tabs of the origin, where the browser lets them agree. */
export interface Link {
  readonly connection: ReadonlySignal<Connection>
  connect(scope: Scope): void
  disconnect(): void
  setOnline(online: boolean): void
}

export function createLink(doors: LinkDoors): Link {
  const { page, patience, wire } = doors
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
    if (next === 'live') patience.wake()
  }

  function disconnect() {
    open()
    connection.value = 'idle'
  }

  function connect(mine: Scope) {
    disconnect()
    if (!mine.token || mine.over.aborted || !online.peek()) return
    connection.value = 'connecting'
    const lead: Seat['lead'] = async (over, tell) => {
      doors.onLead(over)
      await doors.caughtUp()
      await wire.streamEvents(
        { token: mine.token, over },
        {
          after: doors.lastSeq,
          onEvent(event) {
            doors.onEvent(mine, event)
            tell?.(event)
          },
          onConnection(next) {
            setConnection(next)
            tell?.()
          },
        },
      )
    }
    const { epoch } = mine
    const name = doors.seatName + epoch
    let over = open()
    const alone = () => lead(over)
    page.lead(name, alone).catch(() => {
      if (over.aborted) return
      over = open()
      return doors
        .join({ name, epoch, over, lead, setConnection, hear: event => doors.onEvent(mine, event) })
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
