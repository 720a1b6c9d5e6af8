import * as v from 'valibot'
import { type EndpointName, endpoints, type ResponseOf } from '../contract/endpoints.ts'
import { type FieldError, problemSchema } from '../contract/errors.ts'
import type { Endpoint } from '../contract/index.ts'
import { ApiError } from './errors.ts'

/** What error messages say about a request. */
export interface RequestInfo {
  name: EndpointName
  /** The platform's host. */
  host: string
  /** If the request is one part of a longer list: how many entries come before it, and how many there are. */
  part?: { written: number; total: number } | undefined
}

/** The parts of a response beside its text. */
export type ResponseHead = Pick<Response, 'ok' | 'status' | 'headers'>

// Accept error codes that this version does not know.
const readableProblem = v.object({ ...problemSchema.entries, code: v.string() })

/** Parses a response; throws an `ApiError` for error responses and unexpected ones. */
export function parseResponse<Name extends EndpointName>(
  info: RequestInfo & { name: Name },
  response: ResponseHead,
  text: string,
): ResponseOf<Name> {
  if (!response.ok) throw toApiError(info, response, text)
  const { success }: Endpoint = endpoints[info.name]
  if (!success.schema) return undefined as ResponseOf<Name>
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), success.schema), text)
  if (result.success) return result.output as ResponseOf<Name>
  throw unexpectedResponse(info, response, 'The response is not what the platform sends. Is baseUrl right?')
}

function toApiError(info: RequestInfo, response: ResponseHead, text: string): ApiError {
  const { status, headers } = response
  if (status < 400)
    return unexpectedResponse(info, response, 'The response is a redirect. Set baseUrl to where it leads.')
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), readableProblem), text)
  if (!result.success)
    return unexpectedResponse(info, response, 'The response is not from the platform. Is baseUrl right?')
  const { code, detail, conflict, instance } = result.output
  const errors = (result.output.errors ?? []).map(error => inWholeList(error, info.part?.written ?? 0))
  const fields = errors.slice(0, 3).map(({ pointer, detail }) => `${pointer || 'Body'}: ${brief(detail)}`)
  if (errors.length > fields.length) fields.push(`And ${errors.length - fields.length} more.`)
  // If there are field errors, the platform's detail only says so.
  const reasons = fields.length > 0 ? fields : [brief(detail)]
  return new ApiError(describeFailure(info, reasons.join(' '), `${status} ${code}`), {
    ...common(info, response),
    code,
    detail,
    requestId: headers.get('x-request-id') ?? instance.replace(/^.*:/, ''),
    errors,
    conflict,
  })
}

const common = (info: RequestInfo, { status, headers }: ResponseHead) => ({
  status,
  headers,
  retryAfterMs: readRetryAfter(headers),
  written: info.part?.written,
})

/** Cuts a text to 200 characters and ends it with one period. */
const brief = (text: string): string => `${text.slice(0, 200).replace(/\.$/, '')}.`

const unexpectedResponse = (info: RequestInfo, response: ResponseHead, why: string): ApiError =>
  new ApiError(describeFailure(info, why, `${response.status} unexpected_response`), {
    ...common(info, response),
    code: 'unexpected_response',
    detail: why,
    requestId: response.headers.get('x-request-id') ?? '',
    errors: [],
    conflict: undefined,
  })

const inWholeList = ({ index, pointer, ...error }: FieldError, before: number): FieldError => ({
  ...error,
  pointer: pointer.replace(/^\/data\/(\d+)/, (_, index: string) => `/data/${Number(index) + before}`),
  ...(index === undefined ? {} : { index: index + before }),
})

/** Seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

/** Describes a failed request by the path's template, not by the URL: that of a revocation contains a token. */
export function describeFailure({ name, host, part }: RequestInfo, why: string, response?: string): string {
  const { summary, method, path } = endpoints[name]
  const failed = `"${summary}" failed${response === undefined ? '' : ` with ${response}`}.`
  const progress = part ? [`${part.written} of ${part.total} entries are written.`] : []
  return [failed, why, ...progress, `[${method} ${path} at ${host}]`].join(' ')
}
