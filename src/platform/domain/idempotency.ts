import { createHash } from 'node:crypto'
import type { BotScope, IdempotentRequest } from '../store/store.ts'
import { timestamp } from './time.ts'

/** What a request has brought about, or had brought about when it came the first time. */
export interface Outcome<Value> {
  value: Value
  replayed: boolean
}

/** Ours: for a day a repetition is known as one. */
const keptMs = 24 * 60 * 60 * 1000

/**
 * What the store needs to know a repetition by; nothing where the client has sent no key. `body` is what was understood
 * of the body, so that a form repeats JSON; a key counts within its bot and operation only.
 */
export function idempotentRequest(
  key: string | undefined,
  { organizationId, botId }: BotScope,
  operation: string,
  body: unknown,
  now: number,
): [IdempotentRequest] | [] {
  if (key === undefined) return []
  const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')
  return [
    {
      keyHash: hash([organizationId, botId, operation, key]),
      bodyHash: hash(body),
      at: timestamp(now),
      expiresAt: timestamp(now + keptMs),
    },
  ]
}
