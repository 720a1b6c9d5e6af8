import type { Migration } from '../../store/postgres/migration.ts'
import { migrations } from '../../store/postgres/migrations.ts'

/** The version after this one: it keeps the length of each message, in a new column with an index. */
export const nextVersion: Migration[] = [
  ...migrations,
  {
    name: 'length of messages',
    expand: [
      { sql: 'ALTER TABLE messages ADD COLUMN length integer' },
      { backfill: 'messages', key: ['conversation_id', 'seq'], set: 'length = char_length(text)' },
      { index: 'messages_by_length', on: 'messages (conversation_id, length)' },
    ],
  },
]

/** The version after that: every node writes the length now, so that none can lack it any more. */
export const versionAfterNext: Migration[] = [
  ...nextVersion,
  {
    name: 'length is there',
    contract: [
      {
        backfill: 'messages',
        key: ['conversation_id', 'seq'],
        set: 'length = char_length(text)',
        where: 'length IS NULL',
      },
      { sql: 'ALTER TABLE messages ADD CONSTRAINT messages_length CHECK (length IS NOT NULL) NOT VALID' },
      { sql: 'ALTER TABLE messages VALIDATE CONSTRAINT messages_length' },
    ],
  },
]
