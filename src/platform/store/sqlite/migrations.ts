import type { DatabaseSync } from 'node:sqlite'
import { attachmentTables } from './attachmentTables.ts'
import { fullTextOptions } from './trigrams.ts'
import { turnLogTable } from './turnLogTable.ts'
import { useWriteAheadLog } from './writeAheadLog.ts'

/** SQLite's application id of Natter databases: "Natt". */
const applicationId = 0x4e617474

const first = `
PRAGMA application_id = ${applicationId};

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE bots (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  profile TEXT NOT NULL,
  origins TEXT NOT NULL,
  responder TEXT NOT NULL,
  events TEXT,
  -- The limits that are set for this bot, as JSON.
  limits TEXT NOT NULL,
  -- What it says in place of the default texts, as JSON.
  texts TEXT NOT NULL,
  created_at TEXT NOT NULL,
  contact_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (organization_id, id)
) STRICT;

CREATE TABLE organization_tokens (
  hash TEXT PRIMARY KEY,
  prefix TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  dev INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT;

CREATE TABLE contacts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL,
  bot_id TEXT NOT NULL,
  email_key TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT NOT NULL,
  mid TEXT NOT NULL,
  wid TEXT NOT NULL,
  -- What the organization's server has set, as JSON; NULL if nothing.
  attributes TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (organization_id, email_key),
  FOREIGN KEY (organization_id, bot_id) REFERENCES bots (organization_id, id)
) STRICT;

-- A bot's contacts in search order, with the normalized texts that a search compares. A scan of all of them takes a
-- fraction of a second.
CREATE TABLE contact_search_docs (
  bot INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  id TEXT NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  rest TEXT NOT NULL,
  digits TEXT NOT NULL,
  PRIMARY KEY (bot, created_at, id)
) STRICT, WITHOUT ROWID;

-- Full-text index by contact number. It may be out of date: a search compares the contacts it finds with the term, and
-- also those in search_index_queue. Deleted text is removed from the file immediately.
CREATE VIRTUAL TABLE contact_search USING fts5 (text, ${fullTextOptions});
-- Segments are merged in steps while the writer is idle, never during a write.
INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 0), ('crisismerge', 1999), ('secure-delete', 1);
-- The texts are those still in contact_search, NULL if there are none.
CREATE TABLE search_index_queue (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT,
  rest TEXT,
  digits TEXT,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER contacts_removed AFTER DELETE ON contacts BEGIN
  UPDATE bots SET contact_count = contact_count - 1 WHERE id = old.bot_id;
  INSERT OR IGNORE INTO search_index_queue (bot, number, name, rest, digits)
    SELECT bot, number, name, rest, digits FROM contact_search_docs
    WHERE bot = (SELECT number FROM bots WHERE id = old.bot_id) AND created_at = old.created_at AND id = old.id;
  DELETE FROM contact_search_docs WHERE bot = (SELECT number FROM bots WHERE id = old.bot_id)
    AND created_at = old.created_at AND id = old.id;
END;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL REFERENCES bots (id),
  contact_id TEXT UNIQUE REFERENCES contacts (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  read_seq INTEGER NOT NULL DEFAULT 0,
  -- Raised by every change of a stored message.
  revision INTEGER NOT NULL DEFAULT 0,
  -- Number of messages by others after read_seq that were not removed. Stored, because counting them becomes slower the more there are.
  unread INTEGER NOT NULL DEFAULT 0,
  -- NULL if there are no messages.
  last_message_at TEXT,
  -- Whether the visitor has ever sent a message, even if it was deleted since.
  is_begun INTEGER NOT NULL DEFAULT 0,
  -- While an agent answers or is waited for.
  paused_until TEXT,
  -- When the conversation was handed over; NULL if no agent is waited for.
  waiting_since TEXT,
  -- Since when a contact has had unread messages; NULL if there are none, or the organization was told already.
  unread_since TEXT,
  -- When it last had an open stream, as far as that was recorded while messages were unread.
  streamed_at TEXT,
  -- The language that the visitor's widget showed last; NULL if that is not known.
  locale TEXT
) STRICT;
CREATE INDEX conversations_newest ON conversations (bot_id, last_message_at, id) WHERE last_message_at IS NOT NULL;
CREATE INDEX conversations_waiting ON conversations (paused_until) WHERE waiting_since IS NOT NULL;
CREATE INDEX conversations_unread ON conversations (unread_since) WHERE unread_since IS NOT NULL;

CREATE TABLE messages (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  format TEXT NOT NULL,
  quick_replies TEXT,
  -- Who of the team wrote it, as JSON; NULL if that is not known.
  sender TEXT,
  -- Where the answer has its content from, as JSON; NULL if that is not known.
  sources TEXT,
  -- Something that has happened, in place of a text; NULL for a message with a text.
  event TEXT,
  -- The files of the message, as JSON; NULL if it has none.
  attachments TEXT,
  -- What was known about the visitor, as JSON; NULL if nothing. Only for the organization.
  context TEXT,
  created_at TEXT NOT NULL,
  -- How the visitor rates it: up or down; NULL if not at all.
  rating TEXT,
  -- When the organization removed it. Then only its place is left.
  removed_at TEXT,
  -- The conversation's revision since its last change; NULL if it never changed.
  revision INTEGER,
  PRIMARY KEY (conversation_id, seq),
  UNIQUE (conversation_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_changed ON messages (conversation_id, revision) WHERE revision IS NOT NULL;

${attachmentTables}

-- Kept after its contact is deleted, so that a widget can show why it was logged out.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL REFERENCES bots (id),
  contact_id TEXT,
  conversation_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  end_reason TEXT,
  ended_at TEXT
) STRICT;
CREATE INDEX sessions_of_contact ON sessions (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX sessions_of_visitor ON sessions (conversation_id) WHERE contact_id IS NULL;
-- By the time at which a session is over.
CREATE INDEX sessions_by_end ON sessions (coalesce(ended_at, expires_at));

-- The result of an idempotent request as JSON: the contact, the ids or the session's hash; NULL if it was refused,
-- "erased" after its contact was deleted.
CREATE TABLE idempotency (
  bot_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  contact_id TEXT REFERENCES contacts (id) ON DELETE CASCADE,
  result TEXT,
  -- The highest number of an attempt that was decided: often a time in milliseconds.
  attempt INTEGER NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (bot_id, key_hash)
) STRICT;
CREATE INDEX idempotency_of_contact ON idempotency (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- One row for each conversation with unanswered messages: from_seq is the first of them, last_seq the last,
-- leased_seq the last one when the current owner took the lease.
CREATE TABLE turns (
  conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
  from_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  leased_seq INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease_until TEXT NOT NULL DEFAULT '',
  attempt INTEGER NOT NULL DEFAULT 0,
  -- The id of the reply that the last owner has begun.
  reply_id TEXT,
  -- Whether the visitor has stopped that reply.
  is_stopped INTEGER NOT NULL DEFAULT 0,
  -- The same number for anonymous visitors of the bot that share an address; NULL for contacts.
  source INTEGER
) STRICT;
CREATE INDEX turns_due ON turns (lease_until);

${turnLogTable}

-- Events to deliver to the bots' events webhooks. A leased one is due again when the lease expires.
CREATE TABLE deliveries (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots (id),
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at TEXT NOT NULL,
  due_at TEXT NOT NULL,
  owner TEXT,
  attempt INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX deliveries_due ON deliveries (due_at, number);
CREATE INDEX deliveries_of_bot ON deliveries (bot_id, due_at, number);
CREATE INDEX deliveries_of_conversation ON deliveries (conversation_id);

`

/**
 * The migrations in order. A change of the tables adds one at the end, here and in `../postgres/migrations.ts`. Never
 * change a released one.
 */
export const migrations: string[] = [first]

/**
 * Migrates the file to this version in one transaction, which other processes wait for. Several processes may open the
 * file at once. Throws if the file is of a newer version.
 */
export function migrate(db: DatabaseSync, all = migrations): void {
  // Checks the file before the first change.
  if (isFilled(db)) checkOwn(db, undefined, all.length)
  // Only new files can have another page size. Larger pages halve the number of reads of a scan.
  else db.exec('PRAGMA page_size = 8192')
  useWriteAheadLog(db)
  if (pragma(db, 'user_version') === all.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = pragma(db, 'user_version')
    if (version > 0) checkOwn(db, undefined, all.length)
    for (const migration of all.slice(version)) db.exec(migration)
    db.exec(`PRAGMA user_version = ${all.length}`)
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

/** Throws if the file is not a Natter database, or one with more migrations than `newest`; default: this version's. */
export function checkOwn(db: DatabaseSync, name = 'This file', newest = migrations.length): void {
  const version = pragma(db, 'user_version')
  if (pragma(db, 'application_id') !== applicationId || version === 0)
    throw new Error(`${name} is no database of Natter.`)
  if (version > newest) throw new Error(`${name} was written by a newer version of Natter. Update Natter.`)
}

/** Throws as `checkOwn` does, and if the file lacks migrations. */
export function requireCurrent(db: DatabaseSync): void {
  checkOwn(db)
  if (pragma(db, 'user_version') < migrations.length)
    throw new Error('This file was written by an older version of Natter. Run "natter migrate" on it first.')
}

function isFilled(db: DatabaseSync): boolean {
  return pragma(db, 'user_version') > 0 || db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
}
