/** The tables of files, a part of the first migration. */
export const attachmentTables = `-- Files of messages, and uploads without a message yet.
CREATE TABLE attachments (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  bot_id TEXT NOT NULL,
  -- The hash of the session that has uploaded it; '' if it was the organization.
  uploader TEXT NOT NULL,
  message_id TEXT,
  attempt_id TEXT NOT NULL,
  -- NULL until the upload is complete.
  type TEXT,
  -- In bytes; until the upload is complete, what is reserved for it.
  size INTEGER NOT NULL,
  width INTEGER,
  height INTEGER,
  -- The hash of the bytes as they were sent, before metadata was removed.
  hash TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (conversation_id, id),
  FOREIGN KEY (conversation_id, message_id) REFERENCES messages (conversation_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX attachments_of_message ON attachments (conversation_id, message_id);
CREATE INDEX attachments_of_bot ON attachments (bot_id, created_at);
CREATE INDEX attachments_unused ON attachments (created_at) WHERE message_id IS NULL;

-- The bytes of files.
CREATE TABLE attachment_parts (
  conversation_id TEXT NOT NULL,
  attachment_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (conversation_id, attachment_id, number),
  FOREIGN KEY (conversation_id, attachment_id) REFERENCES attachments (conversation_id, id) ON DELETE CASCADE
) STRICT;`
