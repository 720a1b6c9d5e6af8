const columns = [
  'id',
  'seq',
  'author',
  'text',
  'format',
  'quick_replies AS "quickReplies"',
  'sender',
  'sources',
  'event',
  'attachments',
  'created_at AS "createdAt"',
  'rating',
  'removed_at AS "removedAt"',
]

/** The columns that `toMessage` takes, in a query of messages alone. */
export const messageColumns: string = columns.join(', ')

/** The same in a query that names the messages `table`. */
export const messageColumnsOf = (table: string): string => columns.map(column => `${table}.${column}`).join(', ')
