import type { Endpoint } from '../../contract/index.ts'
import type { Answer } from '../middleware/exchange.ts'

const json = { 'content-type': 'application/json' }

/** A body of JSON with a status of one's own, where the row's is not the only one. */
export const jsonAnswer = (status: number, body: object): Answer => ({
  status,
  headers: json,
  body: JSON.stringify(body),
})

/** What a handler has resolved to as an answer: one of its own, or the row's success. */
export function toAnswer(result: object | undefined, { success }: Endpoint): Answer {
  if (result === undefined) return { status: success.status }
  return 'status' in result ? (result as Answer) : jsonAnswer(success.status, result)
}
