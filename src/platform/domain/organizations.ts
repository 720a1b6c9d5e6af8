import type { Clock } from '../clock.ts'
import type { Organization, OrganizationStore } from '../store/store.ts'
import { createId } from './ids.ts'
import { timestamp } from './time.ts'
import { mintOrganizationToken, tokenPrefixLength } from './tokens.ts'

/** A new organization. It is not stored yet. */
export function createOrganizationRow(name: string, clock: Pick<Clock, 'now'>): Organization {
  const now = clock.now()
  return { id: createId(now), name, createdAt: timestamp(now) }
}

/** Stores a new organization token and returns it. Only its hash and its first characters are kept. */
export async function issueOrganizationToken(
  store: Pick<OrganizationStore, 'createOrganizationToken'>,
  organizationId: string,
  { clock, dev = false }: { clock: Pick<Clock, 'now'>; dev?: boolean },
): Promise<string> {
  const { token, hash } = mintOrganizationToken()
  await store.createOrganizationToken({
    hash,
    prefix: token.slice(0, tokenPrefixLength),
    organizationId,
    dev,
    createdAt: timestamp(clock.now()),
    lastUsedAt: null,
    revokedAt: null,
  })
  return token
}
