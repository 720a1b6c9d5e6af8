import { expect, it } from 'vitest'
import { decideClaim, erasedResult, type StoredRequest } from './idempotency.ts'

const request = { keyHash: 'k', bodyHash: 'b', attempt: 2, at: '', expiresAt: '' }
const stored: StoredRequest = { bodyHash: 'b', attempt: 2, result: 'created', contactId: 'c' }
const refused: StoredRequest = { ...stored, result: null, contactId: null }
const erased: StoredRequest = { ...stored, bodyHash: '', result: erasedResult, contactId: null }
const carriedOut = undefined

it.each([
  ['carries out a request with a new key', undefined, carriedOut],
  ['replays the result of the same request', stored, stored],
  ['replays the result of an earlier attempt', { ...stored, attempt: 1 }, { ...stored, attempt: 1 }],
  ['refuses a late attempt', { ...stored, attempt: 3 }, 'superseded'],
  ['refuses the key of another request', { ...stored, bodyHash: 'other' }, 'key_reused'],
  ['carries out nothing again after its contact was deleted', erased, 'not_found'],
  ['refuses a late attempt after its contact was deleted', { ...erased, attempt: 3 }, 'superseded'],
  ['carries out a request after a refusal', refused, carriedOut],
  ['carries out another request after a refusal', { ...refused, bodyHash: 'other' }, carriedOut],
  ['refuses an attempt before one that was refused', { ...refused, attempt: 3 }, 'superseded'],
])('%s', (_, stored, decision) => {
  expect(decideClaim(request, stored)).toEqual(decision)
})
