import type { AuthReason } from '../loader/events.ts'

/** What begins an epoch. `storage_empty`: storage held none, on a first visit or because the page emptied it. */
export type EpochReason = Exclude<AuthReason, 'replaced' | 'restored'> | 'storage_empty'

/** Whose browser this is, as localStorage says. */
export interface StoredIdentity {
  /** The id of the current epoch; `''` where nothing is stored. */
  epoch: string
  /** Why the epoch has begun. */
  reason: EpochReason
  /** `null` for an anonymous visitor who hasn't sent anything, and until a login has been verified. */
  token: string | null
}

/** The key of the one entry that holds it. A tab never sees a token together with an epoch that it doesn't belong to. */
export const identityKey = (botId: string): string => `natter:${botId}:identity`

/** The key of the reminder that something else of an earlier epoch has still to be erased, which takes the core. */
export const erasePendingKey = (botId: string): string => `natter:${botId}:erasePending`

/** The key of a draft that a page left with. */
export const unsavedDraftKey = (botId: string): string => `natter:${botId}:unsavedDraft`

/** Reads `17.k3x9qa.p0q8zz login c:…`, or the same without a token. Anything else counts as nothing. */
export function parseIdentity(text: string | null | undefined): StoredIdentity {
  const [, epoch = '', reason = 'logout', token = null] =
    /^(\d{1,15}\.\w+\.\w+) (login|logout|revoked|expired|contact_deleted|storage_empty)(?: ([cv]:[\da-f]{64}))?$/.exec(
      text ?? '',
    ) ?? []
  return { epoch, reason: reason as EpochReason, token }
}

export const stringifyIdentity = ({ epoch, reason, token }: StoredIdentity): string =>
  [epoch, reason, ...(token ? [token] : [])].join(' ')
