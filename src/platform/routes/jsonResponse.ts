import type { Endpoint } from '../../contract/index.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'

const json = { 'content-type': 'application/json' }

/** A JSON response with its own status, for endpoints with more than one success status. */
export const jsonResponse = (status: number, body: object): HttpResponse => ({
  status,
  headers: json,
  body: JSON.stringify(body),
})

/** Converts a handler's result: a response of its own, or the endpoint's success response. */
export function toHttpResponse(result: object | undefined, { success }: Endpoint): HttpResponse {
  if (result === undefined) return { status: success.status }
  return 'status' in result ? (result as HttpResponse) : jsonResponse(success.status, result)
}
