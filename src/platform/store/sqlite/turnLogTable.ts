/** The table of started turns, a part of the first migration. */
export const turnLogTable = `-- One row for each started turn; of_day is its number among the bot's turns of that day (UTC).
CREATE TABLE turn_log (
  number INTEGER PRIMARY KEY,
  bot_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  -- NULL for contacts.
  source INTEGER,
  begun_at TEXT NOT NULL,
  of_day INTEGER NOT NULL
) STRICT;
CREATE INDEX turn_log_of_conversation ON turn_log (conversation_id);
-- Contains all columns that the limits count.
CREATE INDEX turn_log_of_bot ON turn_log (bot_id, begun_at, conversation_id, source);
CREATE INDEX turn_log_of_day ON turn_log (bot_id, substr(begun_at, 1, 10), of_day);
CREATE INDEX turn_log_by_time ON turn_log (begun_at);`
