import type { Endpoint } from '../contract/endpoint.ts'
import { type BodyInputOf, type EndpointName, endpoints, pathOf, type ResponseOf } from '../contract/endpoints.ts'
import { defaultTimeLimitMs } from '../contract/limits.ts'
import { checkIdempotencyKey, checkMaxRetries, checkTimeoutMs, type IdempotentOptions } from './callOptions.ts'
import { NetworkError, TimeoutError } from './errors.ts'
import { redacted, withoutSecrets } from './redact.ts'
import { describeFailure, parseResponse, type RequestInfo } from './responses.ts'
import { withRetries } from './retry.ts'
import { version } from './version.ts'

/** The arguments of a request. */
export interface RequestPayload<Name extends EndpointName> extends IdempotentOptions {
  path?: Record<string, string>
  query?: Record<string, string | number | undefined>
  body?: BodyInputOf<Name>
  /** The body of an upload. */
  file?: Blob | Uint8Array<ArrayBuffer>
  part?: RequestInfo['part']
  /** Whether the body makes a repetition harmless. Then no idempotency key is sent. */
  isIdempotent?: boolean
  /** Ignores the body of the response. */
  ignoreResponse?: boolean
}

/** Calls an endpoint and resolves to its parsed response; rejects with an `SdkError`. */
export type EndpointCaller = <Name extends EndpointName>(
  name: Name,
  payload?: RequestPayload<Name>,
) => Promise<ResponseOf<Name>>

/**
 * The time that a call waits beyond the platform's own time limit, for the network. A client that stopped waiting before the
 * platform would not learn whether a write was refused.
 */
const networkMs = 5_000

/** Checked settings of a client; `baseUrl` has no trailing slash. */
export interface Connection {
  baseUrl: string
  organizationToken: string
  botId: string
  /** Default: the time limit of the endpoint, and 5 s for the network. */
  timeoutMs?: number | undefined
  maxRetries: number
  fetch: (request: Request) => Promise<Response> | Response
}

let lastAttemptNumber = 0

/**
 * The number of the next attempt of any call. It is based on the time, so that it also grows across calls and processes: a
 * later call may use the same key again, and the platform refuses a lower number than the last one.
 */
function nextAttemptNumber(): number {
  lastAttemptNumber = Math.max(lastAttemptNumber + 1, Date.now())
  return lastAttemptNumber
}

/** Creates the function that sends all requests of a client. */
export function createEndpointCaller(connection: Connection): EndpointCaller {
  const { baseUrl, organizationToken, botId, fetch } = connection
  const { host } = new URL(baseUrl)
  return async <Name extends EndpointName>(name: Name, payload: RequestPayload<Name> = {}) => {
    const { path = {}, query = {}, body, file, part, signal } = payload
    const endpoint: Endpoint = endpoints[name]
    const { timeLimitMs = defaultTimeLimitMs } = endpoint
    const timeoutMs = checkTimeoutMs(payload.timeoutMs ?? connection.timeoutMs ?? timeLimitMs + networkMs)
    const maxRetries = checkMaxRetries(payload.maxRetries ?? connection.maxRetries)
    const url = new URL(baseUrl + pathOf(name, { botId, ...path }))
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(key, String(value))
    }
    const headers = new Headers({
      authorization: `Bearer ${organizationToken}`,
      accept: 'application/json',
      'user-agent': `natter-node/${version}`,
    })
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (file) headers.set('content-type', 'application/octet-stream')
    const takesKey = endpoint.idempotent && !payload.isIdempotent
    // One key for all attempts, so that they have one effect.
    if (takesKey) headers.set('idempotency-key', checkIdempotencyKey(payload.idempotencyKey ?? crypto.randomUUID()))
    // Do not follow redirects: they would turn PUT into GET or drop the token, with a misleading error.
    const init = {
      method: endpoint.method,
      headers,
      redirect: 'manual' as const,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file && { body: file }),
    }
    const info = { name, host, part }
    const secrets = [organizationToken, path['contactToken'] ?? '']

    const send = async (attemptSignal: AbortSignal): Promise<{ response: Response; text: string; received?: Blob }> => {
      // With this number, the platform refuses an attempt that arrives after a later one.
      if (takesKey) headers.set('idempotency-attempt', String(nextAttemptNumber()))
      try {
        const response = await fetch(new Request(url, { ...init, signal: attemptSignal }))
        if (response.ok && endpoint.success.file) return { response, text: '', received: await response.blob() }
        return { response, text: await response.text() }
      } catch (error) {
        const cause = withoutSecrets(error, secrets)
        throw new NetworkError(describeFailure(info, 'The platform could not be reached.'), {
          cause,
          written: part?.written,
        })
      }
    }

    return withRetries(
      async attemptSignal => {
        const { response, text, received } = await send(attemptSignal)
        // The type of a file is not in the contract, which is for JSON.
        if (received) return received as unknown as ResponseOf<Name>
        if (payload.ignoreResponse && response.ok) return undefined as ResponseOf<Name>
        const { ok, status, headers } = response
        if (ok) return parseResponse(info, { ok, status, headers }, text)
        // Headers may contain a token: the address of a redirect, for example, may repeat the request's path.
        const safeHeaders = [...headers].map(([name, value]): [string, string] => [name, redacted(value, secrets)])
        return parseResponse(info, { ok, status, headers: new Headers(safeHeaders) }, redacted(text, secrets))
      },
      {
        maxRetries,
        timeoutMs,
        signal,
        timeoutError: () =>
          new TimeoutError(describeFailure(info, `The platform did not respond within ${timeoutMs} ms.`), {
            timeoutMs,
            written: part?.written,
          }),
      },
    )
  }
}
