import { type ReadonlySignal, signal } from '@preact/signals'
import type { DeskEvent, DeskEventName } from '../contract/desk.ts'
import type { Api } from './api.ts'

export type ConnectionStatus = 'connecting' | 'live' | 'offline'

/** The member's one event stream. */
export interface DeskEvents {
  /** Tells this page from other pages of the member. */
  readonly page: string
  readonly status: ReadonlySignal<ConnectionStatus>
  /** Calls the listener with each event. Returns its removal. */
  subscribe(listener: (event: DeskEvent) => void): () => void
  /** Tells all listeners what somebody has learned in another way. */
  emit(event: DeskEvent): void
  /** Opens the stream. Returns a function that closes it. */
  start(): () => void
}

export interface EventsDeps {
  api: Pick<Api, 'get'>
  memberId: string
  openSource?: (url: string) => EventSource
}

const names: Record<DeskEventName, true> = {
  heartbeat: true,
  conversation: true,
  gone: true,
  typing: true,
  viewers: true,
  reset: true,
  'session.ended': true,
}

/** A line that is silent for so long is dead, though the browser does not notice: there is a heartbeat every 15 s. */
const silenceMs = 40_000
const silenceCheckMs = 10_000
/** The longest pause between attempts to open the stream. */
const maxPauseMs = 15_000

/**
 * An `EventSource` reconnects by itself after a lost connection, and asks for what it has missed. It gives up when the
 * platform refuses. Then another one is opened, which knows nothing of the first. After the first heartbeat of each
 * connection, a `reset` tells listeners to load everything: that a conversation was erased meanwhile is never repeated.
 */
export function createEvents({ api, memberId, openSource = url => new EventSource(url) }: EventsDeps): DeskEvents {
  const page = crypto.randomUUID()
  const status = signal<ConnectionStatus>('connecting')
  const listeners = new Set<(event: DeskEvent) => void>()
  const emit = (event: DeskEvent) => {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        reportError(error)
      }
    }
  }

  function start(): () => void {
    const ended = new AbortController()
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let attempts = 0
    let heardAt = Date.now()

    function open() {
      let isNew = true
      const opened = openSource(`/desk/api/events?page=${page}&member=${memberId}`)
      source = opened
      heardAt = Date.now()
      const onEvent = (event: DeskEvent) => {
        heardAt = Date.now()
        emit(event)
        if (event.event !== 'heartbeat') return
        attempts = 0
        status.value = 'live'
        if (isNew) emit({ event: 'reset', data: {} })
        isNew = false
      }
      opened.onerror = () => {
        isNew = true
        status.value = navigator.onLine ? 'connecting' : 'offline'
        if (opened.readyState === opened.CLOSED) void reopenSoon()
      }
      for (const event of Object.keys(names) as DeskEventName[]) {
        opened.addEventListener(event, message =>
          onEvent({ event, data: JSON.parse((message as MessageEvent<string>).data) } as DeskEvent),
        )
      }
    }

    function reopen() {
      clearTimeout(timer)
      source?.close()
      open()
    }

    async function reopenSoon() {
      clearTimeout(timer)
      timer = setTimeout(reopen, Math.min(maxPauseMs, 1000 * 2 ** attempts++) * (0.5 + Math.random() / 2))
      // An `EventSource` does not say why it was refused. This finds out if the session has ended, or is another member's.
      await api.get<'retrieveDeskSession'>('/session').catch(() => {})
    }

    open()
    const silenceCheck = setInterval(() => {
      if (source?.readyState === source?.CLOSED || Date.now() - heardAt < silenceMs) return
      status.value = 'connecting'
      reopen()
    }, silenceCheckMs)
    const { signal } = ended
    addEventListener('online', reopen, { signal })
    addEventListener(
      'offline',
      () => {
        status.value = 'offline'
      },
      { signal },
    )
    return () => {
      ended.abort('The desk has ended.')
      clearTimeout(timer)
      clearInterval(silenceCheck)
      source?.close()
    }
  }

  return {
    page,
    status,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    emit,
    start,
  }
}
