import type { StreamEvent } from '../../contract/index.ts'
import type { Connection, Seat } from '../state/link.ts'
import { createAgreement, type Shared } from './agree.ts'
import { browserNeighbours, type Neighbours, type Note } from './neighbours.ts'

/** So long, or half as long, a tab that has come waits for an answer: the one that leads may not have loaded this part. */
const answerMs = 500
/** After so long without a beat the tab that leads is dead, frozen, or has no stream; the platform says something every 15 s. */
const silenceMs = 20_000
/** Beats come no faster, however much the stream brings. */
const beatMs = 1000

/**
 * Shares one stream among the tabs of an origin: one leads, which holds the stream and sends what waits; the others take
 * from it what comes. Nothing is true because the tab that leads says so: it says how far it is, and who is behind asks
 * the platform. Leading is a lock: it passes on when its tab ends, and is taken by a tab that the visitor looks at from
 * one that is hidden or silent, and by one in which something is sent.
 */
export function follow(seat: Seat, shared: Shared, neighbours: Neighbours = browserNeighbours): void {
  const { name, over } = seat
  if (over.aborted) return
  const { clock, conversation, page } = shared
  const channel = neighbours.open(name, hear)
  const { say } = channel
  const agreement = createAgreement(shared, seat, say, () => leads || take(true))
  let turn = new AbortController()
  let leads = false
  let silent = false
  let leaderHidden = false
  let beaten = 0
  let told: Connection | undefined
  // Not all that a browser restores at once.
  let calledOff = clock.after(answerMs * (0.5 + clock.random() / 2), () => take(true))

  const lastSeq = () => conversation.messages.peek().at(-1)?.seq ?? 0

  /** Waits for its turn, or doesn't. */
  function take(steal: boolean) {
    turn.abort(0)
    turn = new AbortController()
    const { signal } = turn
    let granted = false
    neighbours
      .hold(name, steal ? { steal } : { signal }, async () => {
        if (signal.aborted) return
        granted = leads = true
        calledOff()
        beat()
        agreement.catchUp()
        await seat.lead(signal, tell)
        // The platform wants no stream: another tab may try.
        if (!signal.aborted) leads = false
      })
      .catch(() => {
        if (signal.aborted) return
        if (granted) {
          // Another tab has taken over.
          listen()
          take(false)
          say({ is: 'hello' })
        } else {
          // In a sandboxed frame there are no locks: every tab leads.
          leads = true
          void seat.lead(signal, tell)
        }
      })
  }

  function claim() {
    if (!leads && (silent || leaderHidden) && !neighbours.hidden()) take(true)
  }

  function listen() {
    leads = silent = false
    calledOff()
    calledOff = clock.after(silenceMs, () => {
      silent = true
      claim()
    })
  }

  function beat() {
    beaten = clock.now()
    told = conversation.connection.peek()
    say({ is: 'beat', connection: told, seq: lastSeq(), hidden: neighbours.hidden() })
  }

  function tell(event?: StreamEvent) {
    // Of the session's end all tabs hear through storage; twice told it would end twice.
    if (event) return event.event !== 'session.ended' && say({ is: 'event', event })
    if (told === conversation.connection.peek() && clock.now() - beaten < beatMs) return
    beat()
    // Of a tab that wanted to send it and has died.
    void conversation.pump()
  }

  function hear(note: Note) {
    agreement.hear(note)
    if (note.is === 'hello' && leads) {
      beat()
      agreement.tellAll()
      const partial = conversation.partial.peek()
      const author = conversation.typing.peek()
      if (partial) tell({ event: 'message.delta', data: { ...partial, offset: 0 } })
      if (author) tell({ event: 'typing', data: { author } })
    }
    // Two lead for a moment while one takes over.
    if (leads) return
    if (note.is === 'event') {
      listen()
      seat.hear(note.event)
    }
    if (note.is === 'beat') {
      listen()
      leaderHidden = note.hidden
      seat.setConnection(note.connection)
      if (note.seq > lastSeq()) seat.hear({ event: 'reset', data: {} })
      claim()
    }
  }

  const unwatch = page.on('visibilitychange', () => (leads ? beat() : claim()))
  over.addEventListener('abort', () => {
    turn.abort(0)
    calledOff()
    unwatch()
    agreement.end()
    channel.close()
  })
  agreement.catchUp()
  take(false)
  say({ is: 'hello' })
}
