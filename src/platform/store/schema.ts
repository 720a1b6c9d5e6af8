/**
 * The first migration, written for PostgreSQL. TEXT is compared by bytes, as in JavaScript, whatever the database's locale.
 * Bots are never deleted, so no foreign key refers to them: its check would lock the bot's row with every write.
 */
export const firstTables = `CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE bots (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  settings json NOT NULL,
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
  -- Why the contact gets no emails: unsubscribed, or refused by the server of the address; NULL if it does.
  emails_ended TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- The normalized texts that a search compares.
  name_text TEXT NOT NULL,
  rest_text TEXT NOT NULL,
  digits_text TEXT NOT NULL,
  CONSTRAINT contacts_email UNIQUE (organization_id, email_key)
);
CREATE INDEX contacts_newest ON contacts (bot_id, created_at, id);

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL,
  contact_id TEXT CONSTRAINT conversations_of_contact UNIQUE REFERENCES contacts (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  last_seq integer NOT NULL DEFAULT 0,
  read_seq integer NOT NULL DEFAULT 0,
  -- Raised by every change of a stored message.
  revision integer NOT NULL DEFAULT 0,
  -- Number of messages by others after read_seq, without events and removed ones. Stored, because counting them becomes slower the more there are.
  unread integer NOT NULL DEFAULT 0,
  -- NULL if there are no messages.
  last_message_at TEXT,
  -- Whether the visitor has ever sent a message, even if it was deleted since.
  is_begun boolean NOT NULL DEFAULT false,
  -- While an agent of the organization's server answers, or a handover is waited for.
  paused_until TEXT,
  -- Since when the visitor waits for a person; NULL unless the state is waiting.
  waiting_since TEXT,
  -- Since when a visitor who can be told has had unread messages that nobody was told of; NULL if there are none.
  unread_since TEXT,
  -- How often somebody was told of unread messages since the visitor has last read or written.
  unread_notices integer NOT NULL DEFAULT 0,
  -- When it was last tried to send an email.
  emailed_at TEXT,
  -- When it last had an open stream, as far as that was recorded while messages were unread.
  streamed_at TEXT,
  -- The language that the visitor's widget showed last; NULL if that is not known.
  locale TEXT,
  -- Where an anonymous visitor can be answered; NULL if that is not known.
  email TEXT,
  email_hash TEXT,
  -- When the owner of the address has confirmed it by a link. Before, it is only claimed.
  email_confirmed_at TEXT,
  -- Why an anonymous visitor gets no emails: unsubscribed, or refused by the server of the address; NULL if it does.
  emails_ended TEXT,
  -- Who answers: bot, waiting, open or closed.
  state TEXT NOT NULL DEFAULT 'bot',
  -- The member who owns it; NULL if nobody does.
  assignee_id TEXT,
  -- The last message that a member has seen.
  seen_seq integer NOT NULL DEFAULT 0,
  -- How many notes there are.
  notes integer NOT NULL DEFAULT 0,
  -- Raised by every change that only the desk shows.
  desk_revision integer NOT NULL DEFAULT 0,
  -- When anything of it changed last that the desk shows.
  changed_at TEXT
);
CREATE INDEX conversations_of_state ON conversations (bot_id, state, last_message_at, id) WHERE last_message_at IS NOT NULL;
CREATE INDEX conversations_longest_waiting ON conversations (bot_id, waiting_since, id) WHERE state = 'waiting';
-- Also of nobody: SQLite prefers this index only if the owner is compared with a value.
CREATE INDEX conversations_of_owner ON conversations (bot_id, (coalesce(assignee_id, '')), last_message_at, id) WHERE state IN ('waiting', 'open');
CREATE INDEX conversations_of_member ON conversations (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX conversations_changed ON conversations (bot_id, changed_at, id) WHERE changed_at IS NOT NULL;
CREATE INDEX conversations_newest ON conversations (bot_id, last_message_at, id) WHERE last_message_at IS NOT NULL;
CREATE INDEX conversations_paused ON conversations (paused_until) WHERE paused_until IS NOT NULL;
CREATE INDEX conversations_unread ON conversations (unread_since) WHERE unread_since IS NOT NULL;

-- Addresses of anonymous visitors to which an email was sent that confirms them. A row outlives its conversation, so that nobody
-- can have another one sent there soon.
CREATE TABLE email_confirmations (
  -- Of the organization and the mailbox, which many spellings of an address may name.
  mailbox_hash TEXT PRIMARY KEY,
  bot_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX email_confirmations_of_conversation ON email_confirmations (conversation_id);
CREATE INDEX email_confirmations_of_bot ON email_confirmations (bot_id, created_at);
CREATE INDEX email_confirmations_by_time ON email_confirmations (created_at);

CREATE TABLE messages (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  seq integer NOT NULL,
  id TEXT NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  format TEXT NOT NULL,
  -- What only some messages have: quick replies, sender, sources and attachments.
  extras json NOT NULL DEFAULT '{}',
  -- Something that has happened, in place of a text; NULL for a message with a text.
  event TEXT,
  -- What was known about the visitor, as JSON; NULL if nothing. Only for the organization.
  context json,
  -- The member who wrote it; NULL if somebody else did. Only for the desk.
  member_id TEXT,
  created_at TEXT NOT NULL,
  -- How the visitor rates it: up or down; NULL if not at all.
  rating TEXT,
  -- When the organization removed it. Then only its place is left.
  removed_at TEXT,
  -- The conversation's revision since its last change; NULL if it never changed.
  revision integer,
  PRIMARY KEY (conversation_id, seq),
  CONSTRAINT messages_id UNIQUE (conversation_id, id)
);
CREATE INDEX messages_changed ON messages (conversation_id, revision) WHERE revision IS NOT NULL;

-- The normalized texts of messages, which the desk searches. The latest has the highest number.
CREATE TABLE message_texts (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  bot_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  seq integer NOT NULL,
  text TEXT NOT NULL,
  CONSTRAINT message_texts_of_message UNIQUE (conversation_id, seq),
  FOREIGN KEY (conversation_id, seq) REFERENCES messages (conversation_id, seq) ON DELETE CASCADE
);

-- Files of messages, and uploads without a message yet.
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
  size integer NOT NULL,
  width integer,
  height integer,
  -- The hash of the bytes as they were sent, before metadata was removed.
  hash TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (conversation_id, id),
  FOREIGN KEY (conversation_id, message_id) REFERENCES messages (conversation_id, id) ON DELETE CASCADE
);
CREATE INDEX attachments_of_message ON attachments (conversation_id, message_id);
CREATE INDEX attachments_of_bot ON attachments (bot_id, created_at);
CREATE INDEX attachments_unused ON attachments (created_at) WHERE message_id IS NULL;

-- The bytes of files.
CREATE TABLE attachment_parts (
  conversation_id TEXT NOT NULL,
  attachment_id TEXT NOT NULL,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (conversation_id, attachment_id, number),
  FOREIGN KEY (conversation_id, attachment_id) REFERENCES attachments (conversation_id, id) ON DELETE CASCADE
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
-- Of contacts whose deletion may have been interrupted.
CREATE INDEX sessions_of_deleted ON sessions (contact_id) WHERE end_reason = 'contact_deleted';
-- By the time at which a session is over.
CREATE INDEX sessions_by_end ON sessions (coalesce(ended_at, expires_at));

-- The result of an idempotent request, such as the contact, the ids, the session's hash or "sent"; NULL if it was refused,
-- "erased" after its contact was deleted.
CREATE TABLE idempotency (
  bot_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  contact_id TEXT REFERENCES contacts (id) ON DELETE CASCADE,
  result json,
  -- The highest number of an attempt that was decided: often a time in milliseconds.
  attempt bigint NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (bot_id, key_hash)
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
  -- The id of the reply that the last owner has begun.
  reply_id TEXT,
  -- Whether the visitor has stopped that reply.
  is_stopped boolean NOT NULL DEFAULT false
);
CREATE INDEX turns_due ON turns (lease_until);

-- One row for each started turn; of_day is its number among the bot's turns of that day (UTC).
CREATE TABLE turn_log (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  bot_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  begun_at TEXT NOT NULL,
  of_day integer NOT NULL
);
CREATE INDEX turn_log_of_conversation ON turn_log (conversation_id, number);
CREATE INDEX turn_log_of_bot ON turn_log (bot_id, begun_at);
CREATE INDEX turn_log_of_day ON turn_log (bot_id, substr(begun_at, 1, 10), of_day);
CREATE INDEX turn_log_by_time ON turn_log (begun_at);

-- Events to deliver to the bots' events webhooks, and emails to send. A leased one is due again when the lease expires.
CREATE TABLE deliveries (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- The bot of an event, since webhooks must not wait for each other; 'email' for emails.
  queue TEXT NOT NULL,
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
CREATE INDEX deliveries_of_queue ON deliveries (queue, due_at, number);
CREATE INDEX deliveries_of_conversation ON deliveries (conversation_id);

-- The links in emails, with which a visitor ends them, or the owner of an address confirms it. The tokens in them are stored as
-- hashes only.
CREATE TABLE email_links (
  hash TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  -- Which address it confirms; NULL if it ends emails.
  email_hash TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX email_links_of_conversation ON email_links (conversation_id);
CREATE INDEX email_links_by_time ON email_links (created_at);

-- The people who answer at the desk.
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL CONSTRAINT members_email UNIQUE,
  role TEXT NOT NULL,
  -- The bots whose conversations the member sees, as JSON; NULL for all of the organization.
  bot_ids json,
  -- NULL for a member who signs in by OpenID Connect only.
  password_hash TEXT,
  -- The account at the provider with which the member has first signed in; NULL before.
  oidc_issuer TEXT,
  oidc_subject TEXT,
  is_away boolean NOT NULL DEFAULT false,
  -- When the member was last active at the desk.
  active_at TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX members_of_organization ON members (organization_id, name, id);

CREATE TABLE member_sessions (
  hash TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX member_sessions_of_member ON member_sessions (member_id);
CREATE INDEX member_sessions_by_expiry ON member_sessions (expires_at);

CREATE TABLE invitations (
  hash TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL,
  bot_ids json,
  -- The admin who has made it; NULL for the command line.
  created_by TEXT REFERENCES members (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  UNIQUE (organization_id, email_key)
);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- What members have done. It has no names of contacts, which may be erased.
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  event TEXT NOT NULL,
  -- NULL if it was done with the command line. The name stays when the member is removed.
  member_id TEXT,
  member_name TEXT,
  about TEXT,
  conversation_id TEXT,
  contact_id TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX audit_newest ON audit (organization_id, created_at, id);
CREATE INDEX audit_by_time ON audit (created_at);
CREATE INDEX audit_reads ON audit (conversation_id, member_id, created_at) WHERE event = 'conversation_read';

-- Internal notes, and what members have done to a conversation. Visitors, responders and webhooks never get them.
CREATE TABLE notes (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  number integer NOT NULL,
  id TEXT NOT NULL,
  -- The last message when it was written.
  after_seq integer NOT NULL,
  -- The name stays when the member is removed.
  member_id TEXT NOT NULL,
  member_name TEXT NOT NULL,
  text TEXT NOT NULL,
  -- What the member has done, in place of a text.
  event TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (conversation_id, number),
  CONSTRAINT notes_id UNIQUE (conversation_id, id)
);

CREATE TABLE drafts (
  member_id TEXT NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  reply TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  -- The last message when the reply was begun.
  known_seq integer NOT NULL DEFAULT 0,
  PRIMARY KEY (member_id, conversation_id)
);
CREATE INDEX drafts_of_conversation ON drafts (conversation_id);

CREATE TABLE saved_replies (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  -- NULL if the whole team has it.
  member_id TEXT REFERENCES members (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX saved_replies_of_organization ON saved_replies (organization_id, title, id);
CREATE INDEX saved_replies_of_member ON saved_replies (member_id) WHERE member_id IS NOT NULL;
`
