import type {
  BotProfile,
  Message,
  MessageChange,
  MessageCreate,
  MessageListRequest,
  MessagePage,
  MessageRate,
  Read,
  Session,
  SessionRequest,
  Stop,
  VisitorSession,
} from '../../contract/index.ts'
import { withRetries } from '../async/withRetries.ts'
import type { StreamListener, streamEvents } from './eventStream.ts'
import {
  decodeEvent,
  isBotProfile,
  isMessage,
  isMessageChange,
  isMessagePage,
  isSession,
  isVisitorSession,
} from './guards.ts'
import { randomUuid } from './randomUuid.ts'
import {
  type Credentials,
  createRequester,
  isFinal,
  type Requester,
  type RequesterDeps,
  type RequestSpec,
  type StopCondition,
} from './requester.ts'

export type { Credentials, StopCondition, StreamListener }

type Endpoint<Input, Data> = (
  credentials: Credentials,
  shouldStopRetrying?: StopCondition,
  input?: Input,
) => Promise<Data | undefined>

/**
 * The platform's endpoints for widgets. Each call is retried until it succeeds or fails permanently, and resolves to
 * `undefined` on failure; no call rejects. Response bodies are validated.
 */
export interface ApiClient {
  /** The profile is public, so only requests for it may be answered by a cache. */
  retrieveBotProfile: Endpoint<never, BotProfile>
  /** Bypasses the browser's cache. */
  reloadBotProfile: Endpoint<never, BotProfile>
  createVisitorSession: Endpoint<never, VisitorSession>
  retrieveSession: Endpoint<never, Session>
  /** Completes even if the page is closed meanwhile. */
  revokeSession: Endpoint<never, unknown>
  /** Lists the newest page of messages, or the page before the given `seq`. */
  listMessages: Endpoint<number, MessagePage>
  sendMessage: Endpoint<MessageCreate, Message>
  /** Like `sendMessage`, but completes even if the page is closed meanwhile. */
  sendLastMessage: Endpoint<MessageCreate, Message>
  markRead: Endpoint<Read, unknown>
  stopReply: Endpoint<Stop, unknown>
  requestHandover: Endpoint<never, unknown>
  rateMessage: Endpoint<MessageRate, MessageChange>
  /** Resolves as soon as any response arrives, even an error: it tests whether the network works. */
  probe(credentials: Credentials): Promise<unknown>
  /** Keeps an event stream open until `credentials.abortSignal` aborts. */
  streamEvents(credentials: Credentials, listener: StreamListener): Promise<void>
  /** Sends the requests of code that is a chunk of its own. */
  readonly request: Requester
}

export interface ApiClientDeps extends RequesterDeps {
  baseUrl: string
  botId: string
  /** Returns the language of the texts that are shown, once it is known. It is sent with messages. */
  readLocale?(): string | undefined
  /** Loads the code that reads an event stream. Only a session with a token needs it. */
  eventStream(): Promise<{ streamEvents: typeof streamEvents }>
}

/** Messages per page of the history. */
const pageSize = 30

export function createApiClient({ baseUrl, botId, eventStream, readLocale, ...deps }: ApiClientDeps): ApiClient {
  const request = createRequester(`${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/widget`, deps)

  const send = <Data>(credentials: Credentials, spec: RequestSpec<Data>, shouldStopRetrying: StopCondition = isFinal) =>
    request(credentials, spec, (failure, tries) => shouldStopRetrying(failure, tries) || isFinal(failure, tries))

  const endpoint =
    <Input, Data>(
      method: RequestSpec<Data>['method'],
      path: string,
      isData: (data: unknown) => data is Data,
      options: Pick<RequestSpec<Data>, 'cache' | 'keepalive'> = {},
      toBody = (input: Input): unknown => input,
    ): Endpoint<Input, Data> =>
    (credentials, shouldStopRetrying, input) => {
      const spec: RequestSpec<Data> = {
        method,
        path,
        ...options,
        body: input && (() => toBody(input)),
        read: async response => readData(await response.text(), isData),
      }
      return send(credentials, spec, shouldStopRetrying)
    }

  /**
   * Reads personal data: what `toData` returns of the response. The method is `POST`, because the page's service worker cannot cache a `POST`. The response must
   * contain the request's nonce: the response to another request may belong to another person.
   */
  const personalRead =
    <Input, Data>(
      path: string,
      toData: (body: { data?: unknown }) => unknown,
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
        async read(response) {
          const body = JSON.parse(await response.text()) as { data?: unknown; nonce?: unknown } | null
          const data = body?.nonce === nonce && toData(body)
          return isData(data) ? { data } : undefined
        },
      }
      return send(credentials, spec, shouldStopRetrying)
    }

  const withLocale = (message: MessageCreate): MessageCreate => ({ ...message, locale: readLocale?.() })

  return {
    request,
    retrieveBotProfile: endpoint('GET', '', isBotProfile),
    reloadBotProfile: endpoint('GET', '', isBotProfile, { cache: 'reload' }),
    createVisitorSession: endpoint('POST', '/sessions', isVisitorSession),
    retrieveSession: personalRead(
      '/session/retrieve',
      ({ data }) => data,
      isSession,
      nonce => ({ nonce }),
    ),
    // A logout must arrive even when the page is left at once.
    revokeSession: endpoint('DELETE', '/session', isAnything, { keepalive: true }),
    listMessages: personalRead(
      '/messages/list',
      page => page,
      isMessagePage,
      (nonce, before?: number) => ({ nonce, limit: pageSize, ...(before && { before }) }),
    ),
    sendMessage: endpoint('POST', '/messages', isMessage, {}, withLocale),
    sendLastMessage: endpoint('POST', '/messages', isMessage, { keepalive: true }, withLocale),
    markRead: endpoint('POST', '/read', isAnything),
    stopReply: endpoint('POST', '/stop', isAnything),
    requestHandover: endpoint('POST', '/handover', isAnything),
    rateMessage: endpoint('POST', '/rating', isMessageChange),
    probe: credentials =>
      // A cached response would not show that the network works.
      request(
        credentials,
        { method: 'GET', path: '', cache: 'no-store', read: async () => ({ data: null }) },
        hasResponse,
      ),
    async streamEvents(credentials, listener) {
      const { abortSignal } = credentials
      const loaded = await withRetries(eventStream, {
        backoff: deps.backoff,
        abortSignal,
        onFailure() {
          listener.onInterrupted()
          listener.onConnection('reconnecting')
        },
      })
      if (abortSignal.aborted || !loaded) return
      const streamDeps = { request, clock: deps.clock, createNonce: randomUuid, decodeEvent }
      await loaded.streamEvents(streamDeps, credentials, listener)
    },
  }
}

const hasResponse: StopCondition = ({ status }) => status > 0

const isAnything = (_: unknown): _ is unknown => true

/** Parses `{ data }`. Returns `undefined` if `data` is invalid. */
function readData<Data>(text: string, isData: (data: unknown) => data is Data): { data: Data } | undefined {
  const data = text ? (JSON.parse(text) as { data?: unknown } | null)?.data : undefined
  return isData(data) ? { data } : undefined
}
