import { createHash } from 'node:crypto'
import type { EndpointName } from '../../contract/index.ts'
import type { IdempotentRequest, KeyRefused, NotFound } from '../store/store.ts'
import { notFound, problem } from './problem.ts'
import { timestamp } from './time.ts'

/** The key that a client sends so that its request has one effect, however often it is sent. */
export interface IdempotencyKey {
  value: string
  /** Grows with each attempt, from 1; 0 if the client does not send it. */
  attempt: number
}

/** Throws the problem of a write that the store has refused because of its key, or because what it names does not exist. */
export function requireAccepted<Result>(result: Result | KeyRefused | NotFound): Result {
  if (result === 'not_found') throw notFound()
  if (result === 'key_reused') throw problem('idempotency_key_reused')
  if (result === 'superseded') throw problem('attempt_superseded')
  return result as Result
}

/** The time for which repetitions are recognized. */
const keptMs = 24 * 60 * 60 * 1000

/**
 * The data by which the store recognizes a repetition; `undefined` if the client sent no key. `body` is the parsed body, so
 * that a form can repeat JSON. A key is valid only within its bot and operation.
 */
export function idempotentRequest(
  key: IdempotencyKey | undefined,
  operation: EndpointName,
  body: unknown,
  now: number,
): IdempotentRequest | undefined {
  if (key === undefined) return undefined
  const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')
  return {
    keyHash: hash([operation, key.value]),
    // With the key, which is not stored itself: from the hash of a body alone, a name and an email could be guessed.
    bodyHash: hash([key.value, body]),
    attempt: key.attempt,
    at: timestamp(now),
    expiresAt: timestamp(now + keptMs),
  }
}
