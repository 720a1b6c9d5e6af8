import type { Migration, Step } from './migration.ts'

/**
 * TEXT is compared by bytes, as in SQLite and JavaScript, whatever the database's locale. Bots are never deleted, so no
 * foreign key refers to them: its check would lock the bot's row with every write.
 */
const first = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE bots (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  profile json NOT NULL,
  origins json NOT NULL,
  responder json NOT NULL,
  events json,
  -- Limits of its own.
  limits json NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE organization_tokens (
  hash TEXT PRIMARY KEY,
  prefix TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  dev boolean NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  revoked_at TEXT
);

-- A contact's normalized texts, which a search compares.
CREATE TABLE contacts (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL,
  bot_id TEXT NOT NULL,
  email_key TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT NOT NULL,
  mid TEXT NOT NULL,
  wid TEXT NOT NULL,
  -- What the organization's server has set, as JSON; NULL if nothing.
  attributes json,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  name_text TEXT NOT NULL,
  rest_text TEXT NOT NULL,
  digits_text TEXT NOT NULL,
  CONSTRAINT contacts_email UNIQUE (organization_id, email_key)
);
CREATE INDEX contacts_newest ON contacts (bot_id, created_at, id);
-- Includes the bot, so that a search reads no contacts of other bots.
CREATE INDEX contacts_search ON contacts USING gin
  (bot_id, name_text gin_trgm_ops, rest_text gin_trgm_ops, digits_text gin_trgm_ops);

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL,
  contact_id TEXT CONSTRAINT conversations_of_contact UNIQUE REFERENCES contacts (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  last_seq integer NOT NULL DEFAULT 0,
  read_seq integer NOT NULL DEFAULT 0,
  -- Number of messages by others after read_seq. Stored, because counting them becomes slower the more there are.
  unread integer NOT NULL DEFAULT 0,
  -- NULL if there are no messages.
  last_message_at TEXT,
  -- Whether the visitor has ever sent a message, even if it was deleted since.
  is_begun boolean NOT NULL DEFAULT false,
  paused_until TEXT
);
CREATE INDEX conversations_newest ON conversations (bot_id, last_message_at, id) WHERE last_message_at IS NOT NULL;

CREATE TABLE messages (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  seq integer NOT NULL,
  id TEXT NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  format TEXT NOT NULL,
  quick_replies json,
  -- What was known of the visitor, as JSON; NULL if nothing. For the organization alone.
  context json,
  created_at TEXT NOT NULL,
  PRIMARY KEY (conversation_id, seq),
  CONSTRAINT messages_id UNIQUE (conversation_id, id)
);

-- Kept after its contact is deleted, so that a widget can show why it was logged out.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL,
  contact_id TEXT,
  conversation_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  end_reason TEXT,
  ended_at TEXT
);
CREATE INDEX sessions_of_contact ON sessions (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX sessions_of_visitor ON sessions (conversation_id) WHERE contact_id IS NULL;
-- From when on a session is of no use.
CREATE INDEX sessions_by_end ON sessions (coalesce(ended_at, expires_at));

-- The result of an idempotent request: the contact, the ids or the session's hash; NULL if it was refused.
CREATE TABLE idempotency (
  key_hash TEXT PRIMARY KEY,
  body_hash TEXT NOT NULL,
  contact_id TEXT REFERENCES contacts (id) ON DELETE CASCADE,
  result json,
  -- The highest number of an attempt of the client: often a time in milliseconds.
  attempt bigint NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX idempotency_of_contact ON idempotency (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- One row for each conversation with unanswered messages: from_seq is the first of them, last_seq the last,
-- leased_seq the last one when the current owner took the lease.
CREATE TABLE turns (
  conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
  from_seq integer NOT NULL,
  last_seq integer NOT NULL,
  leased_seq integer NOT NULL DEFAULT 0,
  owner TEXT,
  lease_until TEXT NOT NULL DEFAULT '',
  attempt integer NOT NULL DEFAULT 0,
  -- Which of the bot's anonymous visitors share an address; NULL for contacts.
  source integer
);
CREATE INDEX turns_due ON turns (lease_until);

-- One row for each started turn; of_day is its number among the bot's turns of that day (UTC).
CREATE TABLE turn_log (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  bot_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  -- NULL for contacts.
  source integer,
  begun_at TEXT NOT NULL,
  of_day integer NOT NULL
);
CREATE INDEX turn_log_of_conversation ON turn_log (conversation_id, number);
CREATE INDEX turn_log_of_bot ON turn_log (bot_id, begun_at);
CREATE INDEX turn_log_of_day ON turn_log (bot_id, substr(begun_at, 1, 10), of_day);
CREATE INDEX turn_log_by_time ON turn_log (begun_at);

-- Events to deliver to the bots' events webhooks. A leased one is due again when the lease expires.
CREATE TABLE deliveries (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  data json NOT NULL,
  created_at TEXT NOT NULL,
  due_at TEXT NOT NULL,
  owner TEXT,
  attempt integer NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_due ON deliveries (due_at, number);
CREATE INDEX deliveries_of_bot ON deliveries (bot_id, due_at, number);
CREATE INDEX deliveries_of_conversation ON deliveries (conversation_id);

-- Organizations on their way to another database, or from one: see rules/moves.ts. It lapses at reopens_at, in
-- milliseconds since the epoch.
CREATE TABLE organization_moves (
  organization_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  reopens_at bigint
);

-- Counters of the rate limits. Unlogged: losing them in a crash is cheaper than making each write durable.
CREATE UNLOGGED TABLE quotas (
  key TEXT PRIMARY KEY,
  ends_at timestamptz NOT NULL,
  taken integer NOT NULL,
  -- How many permits the last request was granted.
  granted integer NOT NULL
);
`

/**
 * In order; MIGRATIONS.md, in the folder above, says how to add one. A released migration is never changed.
 */
export const migrations: Migration[] = [
  { name: 'first tables', expand: statementsOf(first).map((sql): Step => ({ sql })) },
]

function statementsOf(text: string): string[] {
  return text
    .replace(/^ *--.*$/gm, '')
    .replaceAll('TEXT', 'text COLLATE "C"')
    .split(/;\n/)
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
}
