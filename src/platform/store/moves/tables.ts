export interface Table {
  name: string
  /** The columns by which rows are ordered when they are read, in both databases. */
  key: string
  columns: string[]
  /** JSON columns, which are text in the file. */
  json?: string[]
  /** Columns of bytes. While they are copied, they are text: `\x` and hex digits. */
  bytes?: string[]
  /** How many rows are copied at a time, if not the default number. */
  batchSize?: number
  /** Boolean columns, which are 0 or 1 in the file. */
  truth?: string[]
  /** The column of running numbers. Copying a whole database keeps them; moving an organization does not. */
  number?: string
  /** The condition on the rows of the organization `$1`. */
  ofOrganization: string
  /** The writes to refuse while an organization is moved. Absent where the guards of other tables are enough. */
  guard?: Guard
}

export interface Guard {
  /** The SQL for the organization of a row, which is named `NEW` or `OLD`. */
  organizationOf: (row: string) => string
  /** Columns that may change meanwhile: those that the platform keeps up to date, and those that a purge changes. */
  mayChange?: string[]
  /** Whether rows must not be deleted. A purge deletes rows of the other tables. */
  keepsRows?: boolean
}
export type Row = Record<string, unknown>

const bots = 'SELECT id FROM bots WHERE organization_id = $1'
const conversations = `SELECT v.id FROM conversations v JOIN bots b ON b.id = v.bot_id WHERE b.organization_id = $1`
const ofOwn = (row: string): string => `${row}.organization_id`
const ofBot = (row: string): string => `(SELECT organization_id FROM bots WHERE id = ${row}.bot_id)`
const ofConversation = (row: string): string =>
  `(SELECT b.organization_id FROM conversations v JOIN bots b ON b.id = v.bot_id WHERE v.id = ${row}.conversation_id)`

const contactColumns = [
  'id',
  'organization_id',
  'bot_id',
  'email_key',
  'name',
  'email',
  'phone',
  'mid',
  'wid',
  'attributes',
  'created_at',
  'updated_at',
]
const delivered = ['number', 'id', 'bot_id', 'conversation_id', 'type', 'data', 'created_at', 'due_at']

/** The tables that `natter copy` copies, ordered by foreign keys: referenced rows come first. */
export const tables: Table[] = [
  { name: 'organizations', ofOrganization: 'id = $1', key: 'id', columns: ['id', 'name', 'created_at'] },
  {
    name: 'bots',
    ofOrganization: 'organization_id = $1',
    guard: { organizationOf: ofOwn, keepsRows: true },
    key: 'id',
    columns: ['id', 'organization_id', 'profile', 'origins', 'responder', 'events', 'limits', 'texts', 'created_at'],
    json: ['profile', 'origins', 'responder', 'events', 'limits', 'texts'],
  },
  {
    name: 'organization_tokens',
    ofOrganization: 'organization_id = $1',
    guard: { organizationOf: ofOwn, mayChange: ['last_used_at'] },
    key: 'hash',
    columns: ['hash', 'prefix', 'organization_id', 'dev', 'created_at', 'last_used_at', 'revoked_at'],
    truth: ['dev'],
  },
  {
    name: 'contacts',
    ofOrganization: 'organization_id = $1',
    guard: { organizationOf: ofOwn, keepsRows: true },
    // By the index that also selects an organization's rows: SQLite would otherwise sort them all in memory.
    key: 'organization_id, email_key',
    columns: contactColumns,
    json: ['attributes'],
  },
  {
    name: 'conversations',
    ofOrganization: `bot_id IN (${bots})`,
    guard: { organizationOf: ofBot, mayChange: ['unread', 'last_message_at', 'locale'] },
    key: 'id',
    columns: [
      'id',
      'bot_id',
      'contact_id',
      'created_at',
      'last_seq',
      'read_seq',
      'unread',
      'last_message_at',
      'is_begun',
      'paused_until',
      'waiting_since',
      'revision',
      'unread_since',
      'streamed_at',
      'locale',
    ],
    truth: ['is_begun'],
  },
  {
    name: 'messages',
    ofOrganization: `conversation_id IN (${conversations})`,
    guard: { organizationOf: ofConversation },
    key: 'conversation_id, seq',
    columns: [
      'conversation_id',
      'seq',
      'id',
      'author',
      'text',
      'format',
      'quick_replies',
      'sender',
      'sources',
      'event',
      'attachments',
      'context',
      'created_at',
      'rating',
      'removed_at',
      'revision',
    ],
    json: ['quick_replies', 'sender', 'sources', 'attachments', 'context'],
  },
  {
    name: 'attachments',
    ofOrganization: `conversation_id IN (${conversations})`,
    guard: { organizationOf: ofConversation },
    key: 'conversation_id, id',
    columns: [
      'conversation_id',
      'id',
      'bot_id',
      'uploader',
      'message_id',
      'attempt_id',
      'type',
      'size',
      'width',
      'height',
      'hash',
      'created_at',
    ],
  },
  {
    name: 'attachment_parts',
    ofOrganization: `conversation_id IN (${conversations})`,
    guard: { organizationOf: ofConversation },
    key: 'conversation_id, attachment_id, number',
    columns: ['conversation_id', 'attachment_id', 'number', 'bytes'],
    bytes: ['bytes'],
    // Each has up to 256 KiB.
    batchSize: 20,
  },
  {
    name: 'sessions',
    ofOrganization: `bot_id IN (${bots})`,
    guard: { organizationOf: ofBot, mayChange: ['expires_at'] },
    key: 'hash',
    columns: ['hash', 'bot_id', 'contact_id', 'conversation_id', 'created_at', 'expires_at', 'end_reason', 'ended_at'],
  },
  {
    name: 'idempotency',
    ofOrganization: `bot_id IN (${bots})`,
    guard: { organizationOf: ofBot },
    key: 'bot_id, key_hash',
    columns: ['bot_id', 'key_hash', 'body_hash', 'contact_id', 'result', 'attempt', 'expires_at'],
    json: ['result'],
  },
  {
    name: 'turns',
    ofOrganization: `conversation_id IN (${conversations})`,
    key: 'conversation_id',
    columns: [
      'conversation_id',
      'from_seq',
      'last_seq',
      'leased_seq',
      'owner',
      'lease_until',
      'attempt',
      'reply_id',
      'is_stopped',
      'source',
    ],
    truth: ['is_stopped'],
  },
  {
    name: 'turn_log',
    ofOrganization: `bot_id IN (${bots})`,
    key: 'number',
    columns: ['number', 'bot_id', 'conversation_id', 'source', 'begun_at', 'of_day'],
    number: 'number',
  },
  {
    name: 'deliveries',
    ofOrganization: `bot_id IN (${bots})`,
    key: 'number',
    columns: [...delivered, 'owner', 'attempt'],
    json: ['data'],
    number: 'number',
  },
]
