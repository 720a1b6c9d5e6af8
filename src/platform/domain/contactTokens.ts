import { type BodyOf, type ContactToken, contactTokenPattern } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { BotScope, ContactScope, IdempotentResult, SessionStore } from '../store/store.ts'
import { requireEmailKey } from './emailKey.ts'
import { type IdempotencyKey, idempotentRequest, requireAccepted } from './idempotency.ts'
import { createId, isId } from './ids.ts'
import { notFound, problem } from './problem.ts'
import { publishSessionEnds } from './sessions.ts'
import { timestamp } from './time.ts'
import { hashToken, mintContactToken } from './tokens.ts'

/** The rules of contact tokens. */
export type ContactTokens = ReturnType<typeof createContactTokens>

export function createContactTokens({ store, bus, clock }: { store: SessionStore; bus: Bus; clock: Clock }) {
  return {
    /**
     * Creates a token. A request with the `key` of an earlier one revokes that request's token and creates another one: the
     * first token is not stored, so it cannot be returned again.
     */
    async create(
      scope: BotScope,
      body: BodyOf<'createContactToken'>,
      key?: IdempotencyKey,
    ): Promise<IdempotentResult<ContactToken>> {
      const { id, email, expiresInSeconds } = body
      if (id !== undefined && !isId(id)) throw notFound()
      const now = clock.now()
      const { token, hash } = mintContactToken()
      const expiresAt = expiresInSeconds === undefined ? aYearAfter(now) : now + expiresInSeconds * 1000
      const dates = { createdAt: timestamp(now), expiresAt: timestamp(expiresAt) }
      const selector = {
        ...(id !== undefined && { contactId: id }),
        ...(email !== undefined && { emailKey: requireEmailKey(email) }),
      }
      const session = { hash, conversationId: createId(now), ...dates }
      const request = idempotentRequest(key, 'createContactToken', body, now)
      const result = requireAccepted(await store.createContactSession(scope, selector, session, request))
      if (result === 'mismatch') throw problem('contact_mismatch')
      publishSessionEnds(bus, result.value)
      return { value: { token, ...dates }, replayed: result.replayed }
    },

    /** Revokes a token. Also resolves if there is no such token, so that it reveals nothing about other tokens. */
    async revoke({ botId }: BotScope, token: string): Promise<void> {
      if (!contactTokenPattern.test(token)) return
      const ended = await store.endSession(botId, hashToken(token), 'revoked', timestamp(clock.now()))
      if (ended) publishSessionEnds(bus, [ended])
    },

    /** Revokes all tokens of a contact. A request with the `key` of an earlier one leaves the tokens that were created since. */
    async revokeAll(scope: ContactScope, key?: IdempotencyKey): Promise<IdempotentResult<undefined>> {
      const { contactId } = scope
      if (!isId(contactId)) throw notFound()
      const now = clock.now()
      const request = idempotentRequest(key, 'revokeContactTokens', { contactId }, now)
      const result = requireAccepted(await store.endContactSessions(scope, 'revoked', timestamp(now), request))
      publishSessionEnds(bus, result.value)
      return { value: undefined, replayed: result.replayed }
    },
  }
}

/** A calendar year later in UTC. 29 February becomes 1 March. */
export function aYearAfter(ms: number): number {
  const date = new Date(ms)
  return date.setUTCFullYear(date.getUTCFullYear() + 1)
}
