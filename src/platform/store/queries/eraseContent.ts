import type { Queries } from '../database.ts'

/** How many rows of conversations a transaction deletes at most, so that others do not wait for long. */
export const eraseBatchSize = 500

/**
 * Deletes messages and waiting events of conversations, which the caller has locked. Resolves to whether some may be left:
 * then commit, and call it again. A conversation may have hundreds of thousands of rows, so a cascade could take minutes.
 */
export async function eraseContent(tx: Queries, conversationIds: string[]): Promise<boolean> {
  for (const [table, key] of [
    ['messages', 'seq'],
    ['deliveries', 'number'],
  ]) {
    const erased = await tx.all(
      `DELETE FROM ${table} WHERE (conversation_id, ${key}) IN
         (SELECT conversation_id, ${key} FROM ${table} WHERE conversation_id = ANY ($1) LIMIT $2)
       RETURNING ${key}`,
      [conversationIds, eraseBatchSize],
    )
    if (erased.length === eraseBatchSize) return true
  }
  return false
}
