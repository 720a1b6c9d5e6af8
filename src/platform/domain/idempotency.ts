import { createHash } from 'node:crypto'
import type { IdempotentRequest, KeyRefused } from '../store/store.ts'
import { type ProblemError, problem } from './problem.ts'
import { timestamp } from './time.ts'

/** The result of a request, or of the earlier request that it repeats. */
export interface Outcome<Value> {
  value: Value
  replayed: boolean
}

/** The key that a client sends so that its request has one effect, however often it is sent. */
export interface IdempotencyKey {
  value: string
  /** Grows with each attempt, from 1; 0 if the client does not send it. */
  attempt: number
}

/** The problem of a request whose key the store has refused. */
export const keyRefused = (refusal: KeyRefused): ProblemError =>
  problem(refusal === 'key_reused' ? 'idempotency_key_reused' : 'attempt_superseded')

/** The time for which repetitions are recognized. */
const keptMs = 24 * 60 * 60 * 1000

/**
 * The data by which the store recognizes a repetition; `undefined` if the client sent no key. `body` is the parsed body, so
 * that a form can repeat JSON. A key is valid only within its bot and operation.
 */
export function idempotentRequest(
  key: IdempotencyKey | undefined,
  operation: string,
  body: unknown,
  now: number,
): IdempotentRequest | undefined {
  if (key === undefined) return undefined
  const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')
  return {
    keyHash: hash([operation, key.value]),
    bodyHash: hash(body),
    attempt: key.attempt,
    at: timestamp(now),
    expiresAt: timestamp(now + keptMs),
  }
}
