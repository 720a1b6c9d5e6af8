import type { Endpoint } from '../../contract/index.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'

const json = { 'content-type': 'application/json' }

/** A body of JSON with a status of one's own, where the row's is not the only one. */
export const jsonResponse = (status: number, body: object): HttpResponse => ({
  status,
  headers: json,
  body: JSON.stringify(body),
})

/** What a handler has resolved to as an answer: one of its own, or the row's success. */
export function toHttpResponse(result: object | undefined, { success }: Endpoint): HttpResponse {
  if (result === undefined) return { status: success.status }
  return 'status' in result ? (result as HttpResponse) : jsonResponse(success.status, result)
}
