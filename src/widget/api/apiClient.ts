import type {
  Message,
  MessageChange,
  MessageCreate,
  MessageRate,
  Read,
  Stop,
  VisitorEmail,
} from '../../contract/index.ts'
import { isBotProfile, isMessage, isMessageChange, isMessagePage, isSession, isVisitorSession } from './guards.ts'
import { personalSpec } from './personalSpec.ts'
import {
  type Credentials,
  createRequester,
  isFinal,
  type RequesterDeps,
  type RequestSpec,
  type StopCondition,
} from './requester.ts'

export type { Credentials, StopCondition }

type Endpoint<Input, Data> = (
  credentials: Credentials,
  shouldStopRetrying?: StopCondition,
  input?: Input,
) => Promise<Data | undefined>

export type ApiClient = ReturnType<typeof createApiClient>

interface ApiClientDeps extends RequesterDeps {
  baseUrl: string
  botId: string
  /** Returns the language of the texts that are shown, once it is known. It is sent with messages. */
  readLocale?(): string | undefined
}

/** Messages per page of the history. */
const pageSize = 30

/**
 * The platform's endpoints for widgets. Each call is retried until it succeeds or fails permanently, and resolves to
 * `undefined` on failure; no call rejects. Response bodies are validated.
 */
export function createApiClient({ baseUrl, botId, readLocale, ...deps }: ApiClientDeps) {
  const request = createRequester(`${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/widget`, deps)

  const send = <Data>(credentials: Credentials, spec: RequestSpec<Data>, shouldStopRetrying: StopCondition = isFinal) =>
    request(credentials, spec, (failure, tries) => shouldStopRetrying(failure, tries) || isFinal(failure, tries))

  const endpoint =
    <Data, Input = never>(
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

  const withLocale = <Input>(input: Input) => ({ ...input, locale: readLocale?.() })

  return {
    /** Sends the requests of code that is a chunk of its own. */
    request,
    /** The profile is public, so only requests for it may be answered by a cache. */
    retrieveBotProfile: endpoint('GET', '', isBotProfile),
    /** Bypasses the browser's cache. */
    reloadBotProfile: endpoint('GET', '', isBotProfile, { cache: 'reload' }),
    createVisitorSession: endpoint('POST', '/sessions', isVisitorSession),
    retrieveSession: (credentials: Credentials, shouldStopRetrying?: StopCondition) =>
      send(credentials, personalSpec('/session/retrieve', isSession), shouldStopRetrying),
    /** Completes even if the page is closed meanwhile, because a logout must arrive. */
    revokeSession: endpoint('DELETE', '/session', isAnything, { keepalive: true }),
    /** Lists the newest page of messages, or the page before the given `seq`. */
    listMessages: (credentials: Credentials, shouldStopRetrying?: StopCondition, before?: number) => {
      const toBody = (nonce: string) => ({ nonce, limit: pageSize, ...(before && { before }) })
      return send(
        credentials,
        personalSpec('/messages/list', isMessagePage, page => page, toBody),
        shouldStopRetrying,
      )
    },
    leaveEmail: endpoint<unknown, VisitorEmail>('PUT', '/session/email', isAnything, {}, withLocale),
    sendMessage: endpoint<Message, MessageCreate>('POST', '/messages', isMessage, {}, withLocale),
    /** Like `sendMessage`, but completes even if the page is closed meanwhile. */
    sendLastMessage: endpoint<Message, MessageCreate>('POST', '/messages', isMessage, { keepalive: true }, withLocale),
    markRead: endpoint<unknown, Read>('POST', '/read', isAnything),
    stopReply: endpoint<unknown, Stop>('POST', '/stop', isAnything),
    requestHandover: endpoint('POST', '/handover', isAnything),
    rateMessage: endpoint<MessageChange, MessageRate>('POST', '/rating', isMessageChange),
    /** Resolves as soon as any response arrives, even an error: it tests whether the network works. */
    probe: (credentials: Credentials): Promise<unknown> =>
      // A cached response would not show that the network works.
      request(
        credentials,
        { method: 'GET', path: '', cache: 'no-store', read: async () => ({ data: null }) },
        hasResponse,
      ),
  }
}

const hasResponse: StopCondition = ({ status }) => status > 0

const isAnything = (_: unknown): _ is unknown => true

/** Parses `{ data }`. Returns `undefined` if `data` is invalid. */
function readData<Data>(text: string, isData: (data: unknown) => data is Data): { data: Data } | undefined {
  const data = text ? (JSON.parse(text) as { data?: unknown } | null)?.data : undefined
  return isData(data) ? { data } : undefined
}
