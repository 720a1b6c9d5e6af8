import type { AuthReason } from '../loader/events.ts'

/**
 * What begins an epoch. `storage_empty`: storage held none, on a first visit or because the page emptied it. `signed_out`:
 * nobody is signed in at the site, or a login has failed; unlike after a `logout`, the site may be asked again.
 */
export type EpochReason = Exclude<AuthReason, 'replaced' | 'restored'> | 'storage_empty' | 'signed_out'

/** Whose browser this is, as localStorage says. */
export interface StoredIdentity {
  /** The id of the current epoch; `''` where nothing is stored. */
  epoch: string
  /** Why the epoch has begun. */
  reason: EpochReason
  /** `null` for an anonymous visitor who hasn't sent anything, and until a login has been verified. */
  token: string | null
}

/**
 * The key of an entry. `identity`: epoch and token, in one entry, so that no tab ever sees a token together with an epoch
 * that it doesn't belong to. `erasePending`: the epoch that has still to erase what earlier ones have left, which takes the
 * core. `unsavedDraft`: a draft that a page left with.
 */
export const storageKey = (botId: string, name: 'identity' | 'erasePending' | 'unsavedDraft'): string =>
  `natter:${botId}:${name}`

/** Reads `17.k3x9qa.p0q8zz login c:…`, or the same with blanks in place of the token. Anything else counts as nothing. */
export function parseIdentity(text: string | null | undefined): StoredIdentity {
  const [, epoch = '', reason = 'storage_empty', token = null] =
    /^(\d{1,15}\.\w+\.\w+) (login|logout|revoked|expired|contact_deleted|storage_empty|signed_out)(?: ([cv]:[\da-f]{64}))? *$/.exec(
      text ?? '',
    ) ?? []
  return { epoch, reason: reason as EpochReason, token }
}

/** The longest entry: every one is of this length, so that in a full storage a token has room where an epoch has. */
const entryLength = 142

export const stringifyIdentity = (epoch: string, reason: EpochReason, token: string | null = null): string =>
  `${epoch} ${reason} ${token || ''}`.padEnd(entryLength)
