import { expect, it } from 'vitest'
import { decideClaim, erasedResult, type KeptRequest } from './idempotency.ts'

const request = { keyHash: 'k', bodyHash: 'b', attempt: 2, at: '', expiresAt: '' }
const kept: KeptRequest = { bodyHash: 'b', attempt: 2, result: 'created', contactId: 'c' }
const refused: KeptRequest = { ...kept, result: null, contactId: null }
const erased: KeptRequest = { ...kept, bodyHash: '', result: erasedResult, contactId: null }
const carriedOut = { kind: 'claimed' }

it.each([
  ['carries out a request with a new key', undefined, carriedOut],
  ['replays the result of the same request', kept, { kind: 'replayed', kept }],
  [
    'replays the result of an earlier attempt',
    { ...kept, attempt: 1 },
    { kind: 'replayed', kept: { ...kept, attempt: 1 } },
  ],
  ['refuses a late attempt', { ...kept, attempt: 3 }, { kind: 'rejected', reason: 'superseded' }],
  ['refuses the key of another request', { ...kept, bodyHash: 'other' }, { kind: 'rejected', reason: 'key_reused' }],
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
