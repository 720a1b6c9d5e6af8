import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { eraseBatchSize } from '../rules/purge.ts'

/**
 * Deletes messages and waiting events of conversations, whose ids `conversationIds` selects in SQL. Returns whether some may
 * be left: then commit, and call it again. A conversation may have hundreds of thousands of rows, and a cascade over all of
 * them would keep every other write waiting.
 */
export function prepareEraseContent(
  db: DatabaseSync,
  conversationIds: string,
): (...parameters: SQLInputValue[]) => boolean {
  const keys = { messages: 'conversation_id, seq', deliveries: 'conversation_id, number' }
  const statements = Object.entries(keys).map(([table, key]) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN
         (SELECT ${key} FROM ${table} WHERE conversation_id IN (${conversationIds}) LIMIT ${eraseBatchSize})`,
    ),
  )
  return (...parameters) => statements.some(erase => Number(erase.run(...parameters).changes) === eraseBatchSize)
}
