import type { BotFace, Message, MessageCreate, Session, VisitorSession } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { isBotFace, isMessage, isMessages, isSession, isVisitorSession } from './decode.ts'
import { type Answer, createAsk } from './http.ts'
import type { Patience } from './patience.ts'
import { keepStream, type StreamListener } from './stream.ts'

/** Messages a page of the history holds. */
export const pageSize = 30

/** The platform's endpoints for widgets. Answers are checked; nothing rejects. */
export interface Wire {
  retrieveBotFace(): Promise<Answer<BotFace>>
  createVisitorSession(signal: AbortSignal): Promise<Answer<VisitorSession>>
  retrieveSession(token: string, signal: AbortSignal): Promise<Answer<Session>>
  /** Outlives the page. */
  endSession(token: string): Promise<Answer<unknown>>
  /** The newest page, or the one before a seq. */
  listMessages(token: string, signal: AbortSignal, before?: number): Promise<Answer<Message[]>>
  sendMessage(token: string, signal: AbortSignal, message: MessageCreate): Promise<Answer<Message>>
  markRead(token: string, signal: AbortSignal, seq: number): Promise<Answer<unknown>>
  /** Keeps the event stream open until `over`. */
  streamEvents(token: string, over: AbortSignal, listener: StreamListener): Promise<void>
}

export interface WireDoors {
  baseUrl: string
  botId: string
  clock: Clock
  patience: Patience
  fetch: typeof fetch
}

export function createWire({ baseUrl, botId, clock, patience, fetch }: WireDoors): Wire {
  const root = `${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/widget`
  const ask = createAsk(root, clock, fetch)
  return {
    retrieveBotFace: () => ask('GET', '', isBotFace),
    createVisitorSession: signal => ask('POST', '/sessions', isVisitorSession, { signal }),
    retrieveSession: (token, signal) => ask('GET', '/session', isSession, { token, signal }),
    endSession: token => ask('DELETE', '/session', isAnything, { token, keepalive: true }),
    listMessages: (token, signal, before) =>
      ask('GET', `/messages?limit=${pageSize}${before === undefined ? '' : `&before=${before}`}`, isMessages, {
        token,
        signal,
      }),
    sendMessage: (token, signal, body) => ask('POST', '/messages', isMessage, { token, signal, body }),
    markRead: (token, signal, seq) => ask('POST', '/read', isAnything, { token, signal, body: { seq } }),
    streamEvents: (token, over, listener) =>
      keepStream(
        {
          clock,
          patience,
          connect: (seq, signal) =>
            fetch(`${root}/events`, {
              headers: { authorization: `Bearer ${token}`, 'last-event-id': `${seq}` },
              cache: 'no-store',
              credentials: 'omit',
              signal,
            }),
        },
        over,
        listener,
      ),
  }
}

const isAnything = (_: unknown): _ is unknown => true
