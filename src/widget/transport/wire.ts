import type { BotFace, EndReason, Message, MessageCreate, Read, Session, VisitorSession } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { isBotFace, isMessage, isMessages, isSession, isVisitorSession } from './decode.ts'
import { type Answer, createAsk, type Failure } from './http.ts'
import type { Patience } from './patience.ts'
import { readStream, type StreamListener } from './stream.ts'

/** Who asks, and until when the answer is wanted. */
export interface Bearer {
  readonly token: string | null
  readonly over: AbortSignal
}

/** Whether to stop asking after a failure; called before the session is taken for ended. */
export type GiveUp = (failure: Failure, tries: number) => boolean

/** Asks until there is an answer. `undefined`: the bearer is over, its session has ended, or asking is no use. */
type Endpoint<Body, Data> = (bearer: Bearer, body?: Body, giveUp?: GiveUp) => Promise<Data | undefined>

/** The platform's endpoints for widgets. Answers are checked; nothing rejects. */
export interface Wire {
  retrieveBotFace: Endpoint<never, BotFace>
  createVisitorSession: Endpoint<never, VisitorSession>
  retrieveSession: Endpoint<never, Session>
  /** Outlives the page. */
  endSession: Endpoint<never, unknown>
  /** The newest page, or the one before a seq. */
  listMessages: Endpoint<number, Message[]>
  sendMessage: Endpoint<MessageCreate, Message>
  markRead: Endpoint<Read, unknown>
  /** Keeps the event stream open until the bearer is over. */
  streamEvents(bearer: Bearer, listener: StreamListener): Promise<void>
}

export interface WireDoors {
  baseUrl: string
  botId: string
  clock: Clock
  patience: Patience
  fetch: typeof fetch
  onEnded(bearer: Bearer, reason: EndReason): void
}

/** Messages a page of the history holds. */
const pageSize = 30

export function createWire({ baseUrl, botId, clock, patience, fetch, onEnded }: WireDoors): Wire {
  const root = `${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/widget`
  const ask = createAsk(root, clock, fetch)

  async function insist<Data>(
    bearer: Bearer,
    attempt: () => Promise<Answer<Data>>,
    giveUp: GiveUp = ({ transient, ended }) => !transient && !ended,
  ): Promise<Data | undefined> {
    for (let tries = 0; !bearer.over.aborted; tries++) {
      const answer = await attempt()
      if (bearer.over.aborted) break
      if (answer.status === undefined) return answer.data
      if (answer.afresh) tries = 0
      if (giveUp(answer, tries)) break
      if (answer.ended) onEnded(bearer, answer.ended)
      else await patience.wait(tries, bearer.over, answer.retryAfterMs)
    }
    return undefined
  }

  const endpoint =
    <Body, Data>(method: string, path: string, isData: (data: unknown) => data is Data): Endpoint<Body, Data> =>
    (bearer, body, giveUp) => {
      const at = method === 'GET' && body ? `${path}&before=${body}` : path
      return insist(bearer, () => ask(bearer, method, at, isData, body), giveUp)
    }

  return {
    retrieveBotFace: endpoint('GET', '', isBotFace),
    createVisitorSession: endpoint('POST', '/sessions', isVisitorSession),
    retrieveSession: endpoint('GET', '/session', isSession),
    endSession: endpoint('DELETE', '/session', isAnything),
    listMessages: endpoint('GET', `/messages?limit=${pageSize}`, isMessages),
    sendMessage: endpoint('POST', '/messages', isMessage),
    markRead: endpoint('POST', '/read', isAnything),
    async streamEvents(bearer, listener) {
      const connect = (signal: AbortSignal) =>
        fetch(`${root}/events`, {
          headers: { authorization: `Bearer ${bearer.token}`, 'last-event-id': `${listener.after()}` },
          cache: 'no-store',
          credentials: 'omit',
          signal,
        })
      listener.onConnection('connecting')
      await insist(
        bearer,
        () => readStream(connect, bearer.over, clock, listener),
        ({ transient, ended }) => {
          listener.onConnection('reconnecting')
          return !transient && !ended
        },
      )
    },
  }
}

const isAnything = (_: unknown): _ is unknown => true
