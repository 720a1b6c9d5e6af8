import ky, { type HTTPError, isHTTPError, isNetworkError, isTimeoutError } from 'ky'
import * as v from 'valibot'
import {
  type BodyInputOf,
  type Endpoint,
  type EndpointName,
  endpoints,
  errorCatalogue,
  isErrorCode,
  pathOf,
  problemSchema,
  type ResponseOf,
} from '../contract/index.ts'
import { ApiError, NetworkError, type SdkError, TimeoutError } from './errors.ts'
import { withoutSecrets } from './redact.ts'

/** What a request carries beside the bot's id. */
export interface Payload<Name extends EndpointName> {
  path?: Record<string, string>
  query?: Record<string, string | number | undefined>
  body?: BodyInputOf<Name>
}

/** Calls one endpoint of the table and resolves to its parsed answer; rejects with an `SdkError`. */
export type Call = <Name extends EndpointName>(name: Name, payload?: Payload<Name>) => Promise<ResponseOf<Name>>

/** Settings that `createClient` has checked; `baseUrl` ends without a slash. */
export interface Connection {
  baseUrl: string
  organizationToken: string
  botId: string
  fetch: (request: Request) => Promise<Response> | Response
}

// Only what may safely happen twice is tried again. Create, upsert and update are not: the first try may have arrived.
const repeatable = new Set<EndpointName>([
  'retrieveContact',
  'searchContacts',
  'revokeContactToken',
  'revokeContactTokens',
])
// A code that this version does not know must not turn a problem into an unreadable answer.
const readableProblem = v.object({ ...problemSchema.entries, code: v.string() })

/** The one place from which the SDK talks to the platform. */
export function createCall({ baseUrl, organizationToken, botId, fetch }: Connection): Call {
  return async <Name extends EndpointName>(name: Name, { path = {}, query = {}, body }: Payload<Name> = {}) => {
    const row: Endpoint = endpoints[name]
    const url = baseUrl + pathOf(name, { botId, ...path })
    try {
      const answer = ky(url, {
        method: row.method,
        headers: { authorization: `Bearer ${organizationToken}`, accept: 'application/json' },
        searchParams: query,
        ...(body !== undefined && { json: body }),
        // A redirect would turn PUT into GET or drop the token, and the error would say neither.
        redirect: 'manual',
        timeout: 10_000,
        totalTimeout: 30_000,
        retry: {
          limit: repeatable.has(name) ? 2 : 0,
          methods: [row.method.toLowerCase()],
          statusCodes: [502, 503, 504],
          maxRetryAfter: 5000,
          jitter: true,
        },
        fetch: async input => fetch(input instanceof Request ? input : new Request(input)),
      })
      return parse(name, await answer.text(), (await answer).status)
    } catch (error) {
      throw isHTTPError(error)
        ? fromAnswer(name, error)
        : withCause(name, error, [organizationToken, path['contactToken'] ?? ''])
    }
  }
}

function parse<Name extends EndpointName>(name: Name, answer: string, status: number): ResponseOf<Name> {
  const { success }: Endpoint = endpoints[name]
  if (!success.schema) return undefined as ResponseOf<Name>
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), success.schema), answer)
  if (result.success) return result.output as ResponseOf<Name>
  throw unexpected(name, status, 'the answer is not what the platform sends; is baseUrl right?')
}

function fromAnswer(name: EndpointName, { response, data }: HTTPError): ApiError {
  const { status } = response
  if (status < 400) return unexpected(name, status, 'the answer is a redirect; set baseUrl to where it leads')
  const result = v.safeParse(readableProblem, data)
  if (!result.success) return unexpected(name, status, `status ${status}, not from the platform; is baseUrl right?`)
  const { code, errors = [], conflict, instance } = result.output
  const title = isErrorCode(code) ? errorCatalogue[code].title : 'The platform refused'
  const fields = errors.slice(0, 3).map(({ pointer, code }) => `${pointer || 'body'} ${code}`)
  return new ApiError(explain(name, `${[title, ...fields].join('; ')} (${status} ${code})`), {
    code,
    status,
    requestId: response.headers.get('x-request-id') ?? instance.replace(/^.*:/, ''),
    errors,
    conflict,
  })
}

const unexpected = (name: EndpointName, status: number, why: string): ApiError =>
  new ApiError(explain(name, why), {
    code: 'unexpected_answer',
    status,
    requestId: '',
    errors: [],
    conflict: undefined,
  })

function withCause(name: EndpointName, error: unknown, secrets: string[]): SdkError | Error {
  if (error instanceof ApiError) return error
  if (isTimeoutError(error)) return new TimeoutError(explain(name, 'the platform did not answer in time'))
  const cause = withoutSecrets(isNetworkError(error) ? error.cause : error, secrets)
  return new NetworkError(explain(name, 'the platform could not be reached'), cause && { cause })
}

// The template, never the URL: the path of a revocation holds a token.
const explain = (name: EndpointName, why: string): string => {
  const { summary, method, path } = endpoints[name]
  return `${summary}: ${why}: ${method} ${path}`
}
