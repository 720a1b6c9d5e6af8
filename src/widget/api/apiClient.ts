import type {
  BotProfile,
  Message,
  MessageCreate,
  MessageListRequest,
  Read,
  Session,
  SessionRequest,
  VisitorSession,
} from '../../contract/index.ts'
import type { StreamListener, streamEvents } from './eventStream.ts'
import { decodeEvent, isBotProfile, isMessage, isMessages, isSession, isVisitorSession } from './guards.ts'
import { randomUuid } from './randomUuid.ts'
import {
  type Credentials,
  createRequester,
  isFinal,
  type RequesterDeps,
  type RequestSpec,
  type ShouldStopRetrying,
} from './requester.ts'

export type { Credentials, ShouldStopRetrying, StreamListener }

type Endpoint<Input, Data> = (
  credentials: Credentials,
  shouldStopRetrying?: ShouldStopRetrying,
  input?: Input,
) => Promise<Data | undefined>

/**
 * The platform's endpoints for widgets. Each call is retried until it is answered or refused for good; answers are
 * checked; nothing rejects.
 */
export interface ApiClient {
  /** Public, and the only request that may come from a cache. */
  retrieveBotProfile: Endpoint<never, BotProfile>
  /** The profile as it is now: not from a cache. */
  reloadBotProfile: Endpoint<never, BotProfile>
  createVisitorSession: Endpoint<never, VisitorSession>
  retrieveSession: Endpoint<never, Session>
  /** Outlives the page. */
  revokeSession: Endpoint<never, unknown>
  /** The newest page, or the page before a seq. */
  listMessages: Endpoint<number, Message[]>
  sendMessage: Endpoint<MessageCreate, Message>
  markRead: Endpoint<Read, unknown>
  /** Resolves when anything at all has answered: only whether a request gets through counts. */
  probe(credentials: Credentials): Promise<unknown>
  /** Keeps the event stream open until the credentials are aborted. */
  streamEvents(credentials: Credentials, listener: StreamListener): Promise<void>
}

export interface ApiClientDeps extends RequesterDeps {
  baseUrl: string
  botId: string
  /** Fetches what reads an event stream: there is one only for a session with a token. */
  eventStream(): Promise<{ streamEvents: typeof streamEvents }>
}

/** Messages in a page of the history. */
const pageSize = 30

export function createApiClient({ baseUrl, botId, eventStream, ...deps }: ApiClientDeps): ApiClient {
  const request = createRequester(`${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/widget`, deps)

  const send = <Data>(
    credentials: Credentials,
    spec: RequestSpec<Data>,
    shouldStopRetrying: ShouldStopRetrying = isFinal,
  ) => request(credentials, spec, (failure, tries) => shouldStopRetrying(failure, tries) || isFinal(failure, tries))

  const endpoint =
    <Input, Data>(
      method: RequestSpec<Data>['method'],
      path: string,
      isData: (data: unknown) => data is Data,
      cache?: RequestCache,
    ): Endpoint<Input, Data> =>
    (credentials, shouldStopRetrying, input) => {
      const spec: RequestSpec<Data> = {
        method,
        path,
        cache,
        body: input && (() => input),
        // A logout must arrive even when the page is left at once.
        keepalive: method === 'DELETE',
        read: async response => readData(await response.text(), isData),
      }
      return send(credentials, spec, shouldStopRetrying)
    }

  /**
   * A personal read. It goes by `POST`, which a service worker's cache cannot hold, and its answer must return the nonce:
   * an answer to another request may be another person's.
   */
  const personalRead =
    <Input, Data>(
      path: string,
      isData: (data: unknown) => data is Data,
      toBody: (nonce: string, input: Input | undefined) => SessionRequest | MessageListRequest,
    ): Endpoint<Input, Data> =>
    (credentials, shouldStopRetrying, input) => {
      let nonce = ''
      const spec: RequestSpec<Data> = {
        method: 'POST',
        path,
        body() {
          nonce = randomUuid()
          return toBody(nonce, input)
        },
        read: async response => readData(await response.text(), isData, nonce),
      }
      return send(credentials, spec, shouldStopRetrying)
    }

  return {
    retrieveBotProfile: endpoint('GET', '', isBotProfile),
    reloadBotProfile: endpoint('GET', '', isBotProfile, 'reload'),
    createVisitorSession: endpoint('POST', '/sessions', isVisitorSession),
    retrieveSession: personalRead('/session/retrieve', isSession, nonce => ({ nonce })),
    revokeSession: endpoint('DELETE', '/session', isAnything),
    listMessages: personalRead('/messages/list', isMessages, (nonce, before?: number) => ({
      nonce,
      limit: pageSize,
      ...(before && { before }),
    })),
    sendMessage: endpoint('POST', '/messages', isMessage),
    markRead: endpoint('POST', '/read', isAnything),
    probe: credentials =>
      // A cached profile would say nothing of the network.
      request(
        credentials,
        { method: 'GET', path: '', cache: 'no-store', read: async () => ({ data: null }) },
        hasAnswer,
      ),
    async streamEvents(credentials, listener) {
      for (let tries = 0; !credentials.abortSignal.aborted; tries++) {
        const loaded = await eventStream().catch(() => undefined)
        if (loaded) {
          const streamDeps = { request, clock: deps.clock, createNonce: randomUuid, decodeEvent }
          return loaded.streamEvents(streamDeps, credentials, listener)
        }
        listener.onInterrupted()
        listener.onConnection('reconnecting')
        await deps.backoff.wait(tries, credentials.abortSignal)
      }
    },
  }
}

const hasAnswer: ShouldStopRetrying = ({ status }) => status > 0

const isAnything = (_: unknown): _ is unknown => true

/** Reads `{ data, nonce? }`. `undefined` where it is something else, or doesn't return the nonce of the request. */
function readData<Data>(
  text: string,
  isData: (data: unknown) => data is Data,
  nonce?: string,
): { data: Data } | undefined {
  const answer = text ? (JSON.parse(text) as { data?: unknown; nonce?: unknown } | null) : {}
  const data = answer?.data
  return isData(data) && (nonce === undefined || answer?.nonce === nonce) ? { data } : undefined
}
