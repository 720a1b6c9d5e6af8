import type { BotProfile, Message, MessageCreate, Read, Session, VisitorSession } from '../../contract/index.ts'
import { readStream, type StreamListener } from './eventStream.ts'
import { isBotFace, isMessage, isMessages, isSession, isVisitorSession } from './guards.ts'
import { type Credentials, createRequester, isFinal, type RequesterDeps, type ShouldStopRetrying } from './requester.ts'

export type { Credentials, ShouldStopRetrying }

type Endpoint<Body, Data> = (
  bearer: Credentials,
  shouldStopRetrying?: ShouldStopRetrying,
  body?: Body,
) => Promise<Data | undefined>

/** The platform's endpoints for widgets, each asked until it answers. Answers are checked; nothing rejects. */
export interface ApiClient {
  retrieveBotProfile: Endpoint<never, BotProfile>
  createVisitorSession: Endpoint<never, VisitorSession>
  retrieveSession: Endpoint<never, Session>
  /** Outlives the page. */
  endSession: Endpoint<never, unknown>
  /** The newest page, or the one before a seq. */
  listMessages: Endpoint<number, Message[]>
  sendMessage: Endpoint<MessageCreate, Message>
  markRead: Endpoint<Read, unknown>
  /** Keeps the event stream open until the bearer is over. */
  streamEvents(bearer: Credentials, listener: StreamListener): Promise<void>
}

export interface ApiClientDeps extends RequesterDeps {
  baseUrl: string
  botId: string
}

/** Messages a page of the history holds. */
const pageSize = 30

export function createApiClient({ baseUrl, botId, ...deps }: ApiClientDeps): ApiClient {
  const ask = createRequester(`${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/widget`, deps)

  const endpoint =
    <Body, Data>(method: string, path: string, isData: (data: unknown) => data is Data): Endpoint<Body, Data> =>
    (bearer, shouldStopRetrying, body) => {
      const json = method === 'POST' && body
      const spec = {
        path: json || !body ? path : `${path}&before=${body}`,
        method,
        ...(json && { body: JSON.stringify(json), headers: () => ({ 'content-type': 'application/json' }) }),
        // A logout outlives the page.
        keepalive: method === 'DELETE',
        async read(response: Response) {
          const text = await response.text()
          const data: unknown = text && (JSON.parse(text) as { data?: unknown }).data
          return isData(data) ? { data } : undefined
        },
      }
      return ask(bearer, spec, shouldStopRetrying)
    }

  return {
    retrieveBotProfile: endpoint('GET', '', isBotFace),
    createVisitorSession: endpoint('POST', '/sessions', isVisitorSession),
    retrieveSession: endpoint('GET', '/session', isSession),
    endSession: endpoint('DELETE', '/session', isAnything),
    listMessages: endpoint('GET', `/messages?limit=${pageSize}`, isMessages),
    sendMessage: endpoint('POST', '/messages', isMessage),
    markRead: endpoint('POST', '/read', isAnything),
    async streamEvents(bearer, { after, onEvent, onConnection }) {
      const spec = {
        path: '/events',
        headers: () => ({ 'last-event-id': `${after()}` }),
        cache: 'no-store' as const,
        read(response: Response, alive: () => void) {
          onConnection('live')
          const onSign = () => {
            alive()
            onConnection('live')
          }
          return readStream(response, onSign, event => bearer.abortSignal.aborted || onEvent(event))
        },
      }
      await ask(bearer, spec, (failure, tries) => {
        // A node that leaves sends its streams to others: who is back at the first try has nothing to tell.
        if (tries) onConnection('reconnecting')
        return isFinal(failure, tries)
      })
    },
  }
}

const isAnything = (_: unknown): _ is unknown => true
