import { expect, it } from 'vitest'
import { decideClaim, erasedResult, type StoredRequest } from './idempotency.ts'

const request = { keyHash: 'k', bodyHash: 'b', attempt: 2, at: '', expiresAt: '' }
const stored: StoredRequest = { bodyHash: 'b', attempt: 2, result: 'created', contactId: 'c' }
const refused: StoredRequest = { ...stored, result: null, contactId: null }
const erased: StoredRequest = { ...stored, bodyHash: '', result: erasedResult, contactId: null }
const carriedOut = { kind: 'claimed' }

it.each([
  ['carries out a request with a new key', undefined, carriedOut],
  ['replays the result of the same request', stored, { kind: 'replayed', stored }],
  [
    'replays the result of an earlier attempt',
    { ...stored, attempt: 1 },
    { kind: 'replayed', stored: { ...stored, attempt: 1 } },
  ],
  ['refuses a late attempt', { ...stored, attempt: 3 }, { kind: 'rejected', reason: 'superseded' }],
  ['refuses the key of another request', { ...stored, bodyHash: 'other' }, { kind: 'rejected', reason: 'key_reused' }],
  ['carries out nothing again after its contact was deleted', erased, { kind: 'rejected', reason: 'not_found' }],
  [
    'refuses a late attempt after its contact was deleted',
    { ...erased, attempt: 3 },
    { kind: 'rejected', reason: 'superseded' },
  ],
  ['carries out a request after a refusal', refused, carriedOut],
  ['carries out another request after a refusal', { ...refused, bodyHash: 'other' }, carriedOut],
  [
    'refuses an attempt before one that was refused',
    { ...refused, attempt: 3 },
    { kind: 'rejected', reason: 'superseded' },
  ],
])('%s', (_, stored, decision) => {
  expect(decideClaim(request, stored)).toEqual(decision)
})
